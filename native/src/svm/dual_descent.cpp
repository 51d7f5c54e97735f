#include "dual_descent.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/permutation.hpp"
#include "row_dot.hpp"

namespace surefit::dual_descent {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Rows at a bound whose slope keeps them there are left out of the following epochs, until the others are done.
template <class X>
class Descent {
 public:
  Descent(const Problem<X>& problem, double* a, double* u)
      : p_(problem), a_(a), u_(u), bend_(problem.rows.n), turn_(problem.rows.n) {
    for (std::size_t i = 0; i < p_.rows.n; ++i) {
      bend_[i] = p_.diagonal[i] + square(p_.rows.row(i)) + p_.scale * p_.scale;
      if (p_.upper[i] > 0) all_.push_back(i);
    }
    live_ = all_;
  }

  // Returns the length of the interval of slopes met.
  double epoch(std::uint64_t number) {
    const std::size_t n = live_.size();
    permutation(n, 0, number, 0, turn_.data());
    visits_.resize(n);
    for (std::size_t k = 0; k < n; ++k) visits_[k] = live_[static_cast<std::size_t>(turn_[k])];
    double least = kInfinity, most = -kInfinity;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t i = visits_[k];
      if (k + 2 < n) p_.rows.row(visits_[k + 2]).prefetch(64);
      const double slope = slope_of(i);
      double held = slope;  // zero where the box keeps a_i from following the slope
      if (a_[i] <= 0) {
        if (slope > above_) continue;
        held = std::min(slope, 0.0);
      } else if (a_[i] >= p_.upper[i]) {
        if (slope < below_) continue;
        held = std::max(slope, 0.0);
      }
      visits_[kept++] = i;
      least = std::min(least, held);
      most = std::max(most, held);
      if (std::fabs(held) > 1e-14) move(i, slope);
    }
    visits_.resize(kept);
    live_.swap(visits_);
    above_ = most > 0 ? most : kInfinity;
    below_ = least < 0 ? least : -kInfinity;
    return kept ? most - least : 0.0;
  }

  bool complete() const { return live_.size() == all_.size(); }
  void everything() {
    live_ = all_;
    above_ = kInfinity;
    below_ = -kInfinity;
  }

 private:
  double slope_of(std::size_t i) const {
    const double score = quick_dot(p_.rows.row(i), u_) + p_.scale * u_[p_.rows.d];
    return p_.sign[i] * score - 1 + p_.diagonal[i] * a_[i];
  }

  void move(std::size_t i, double slope) {
    const double aim = bend_[i] > 0 ? a_[i] - slope / bend_[i] : (slope < 0 ? p_.upper[i] : 0.0);
    const double next = std::min(std::max(aim, 0.0), p_.upper[i]), change = (next - a_[i]) * p_.sign[i];
    a_[i] = next;
    add_to(p_.rows.row(i), change, u_);
    u_[p_.rows.d] += change * p_.scale;
  }

  const Problem<X>& p_;
  double *a_, *u_;
  std::vector<double> bend_;
  std::vector<std::int64_t> turn_;
  std::vector<std::size_t> all_, live_, visits_;
  double above_ = kInfinity, below_ = -kInfinity;
};

}  // namespace

template <class X>
Done descend(const Problem<X>& problem, const Effort& effort, double* a, double* u) {
  Descent<X> descent(problem, a, u);
  Done done{0, 0.0, true};
  while (done.epochs < effort.epochs) {
    const bool all = descent.complete();
    done.breach = descent.epoch(effort.number + done.epochs);
    done.all = all;
    ++done.epochs;
    if (done.breach > effort.tol) continue;
    if (all) break;
    descent.everything();
  }
  return done;
}

#define SUREFIT_DUAL(R) template Done descend(const Problem<R>&, const Effort&, double*, double*);
SUREFIT_EACH_ROWS(SUREFIT_DUAL)

}  // namespace surefit::dual_descent
