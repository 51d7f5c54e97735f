#include "crammer_singer.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <vector>

#include "engine/permutation.hpp"
#include "row_dot.hpp"

namespace surefit::crammer_singer {
namespace {

template <class X>
class Descent {
 public:
  Descent(const Problem<X>& problem, double* A, double* W)
      : p_(problem), A_(A), W_(W), slope_(problem.n_classes), sorted_(problem.n_classes), next_(problem.n_classes) {
    for (std::size_t i = 0; i < p_.rows.n; ++i) square_.push_back(square(p_.rows.row(i)) + p_.scale * p_.scale);
  }

  double epoch(std::uint64_t number) {
    turn_.resize(p_.rows.n);
    permutation(p_.rows.n, 0, number, 0, turn_.data());
    double worst = 0;
    for (const std::int64_t place : turn_) {
      const auto i = static_cast<std::size_t>(place);
      if (p_.cost[i] > 0 && square_[i] > 0) worst = std::max(worst, visit(i));
    }
    return worst;
  }

 private:
  // The conditions at row i: the slopes of classes that may fall are at least those of classes that may rise.
  double visit(std::size_t i) {
    const std::size_t k = p_.n_classes, own = static_cast<std::size_t>(p_.classes[i]);
    double* a = A_ + i * k;
    for (std::size_t m = 0; m < k; ++m) slope_[m] = (m == own ? 0.0 : 1.0) + p_.scale * W_[p_.rows.d * k + m];
    p_.rows.row(i).each([&](double x, std::size_t j, std::size_t) {
      for (std::size_t m = 0; m < k; ++m) slope_[m] += x * W_[j * k + m];
    });
    double largest = -std::numeric_limits<double>::infinity(), least = std::numeric_limits<double>::infinity();
    for (std::size_t m = 0; m < k; ++m) {
      largest = std::max(largest, slope_[m]);
      if (a[m] < (m == own ? p_.cost[i] : 0.0)) least = std::min(least, slope_[m]);
    }
    const double breach = std::max(largest - least, 0.0);
    if (breach > 1e-14) move(i, own, a);
    return breach;
  }

  // The minimum over row i's own numbers: a_m = min(c [m = y], (β − B_m) / q) with the β that makes their sum zero.
  void move(std::size_t i, std::size_t own, double* a) {
    const std::size_t k = p_.n_classes;
    const double q = square_[i], c = p_.cost[i];
    for (std::size_t m = 0; m < k; ++m) {
      slope_[m] -= q * a[m];  // B
      sorted_[m] = slope_[m] + (m == own ? q * c : 0.0);
    }
    std::sort(sorted_.begin(), sorted_.end(), std::greater<>());
    double beta = sorted_[0] - q * c;
    std::size_t r = 1;
    for (; r < k && beta < static_cast<double>(r) * sorted_[r]; ++r) beta += sorted_[r];
    beta /= static_cast<double>(r);
    for (std::size_t m = 0; m < k; ++m) {
      const double next = std::min(m == own ? c : 0.0, (beta - slope_[m]) / q);
      next_[m] = next - a[m];
      a[m] = next;
    }
    p_.rows.row(i).each([&](double x, std::size_t j, std::size_t) {
      for (std::size_t m = 0; m < k; ++m) W_[j * k + m] += x * next_[m];
    });
    for (std::size_t m = 0; m < k; ++m) W_[p_.rows.d * k + m] += p_.scale * next_[m];
  }

  const Problem<X>& p_;
  double *A_, *W_;
  std::vector<double> slope_, sorted_, next_, square_;
  std::vector<std::int64_t> turn_;
};

}  // namespace

template <class X>
double descend(const Problem<X>& problem, double tol, std::size_t epochs, std::uint64_t number, double* A, double* W) {
  Descent<X> descent(problem, A, W);
  double worst = 0;
  for (std::size_t done = 0; done < epochs; ++done) {
    worst = descent.epoch(number + done);
    if (worst <= tol) break;
  }
  return worst;
}

#define SUREFIT_CRAMMER_SINGER(R) \
  template double descend(const Problem<R>&, double, std::size_t, std::uint64_t, double*, double*);
SUREFIT_EACH_ROWS(SUREFIT_CRAMMER_SINGER)

}  // namespace surefit::crammer_singer
