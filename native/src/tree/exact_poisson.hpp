// Half the Poisson deviance, Σ w y log(y / mean), of one target or several. Left: Σ w (y − mean) for each, then the
// number of rows with y > 0. Both sides of a split need such rows: else their mean, which is a rate, would be 0.
#pragma once

#include <algorithm>
#include <cmath>

#include "tree/exact_criterion.hpp"
#include "tree/exact_information.hpp"

namespace surefit::exact_tree {

class Poisson {
 public:
  static constexpr bool kMerges = true, kSlow = false;
  using Left = Sums;

  explicit Poisson(const Targets& targets) : t_(targets), mean_(targets.n_outputs), positive_(targets.n_outputs) {}
  static std::size_t scratch(const Targets& t) { return 2 * t.n_outputs; }
  Left empty(double* space) const {
    std::fill_n(space, 2 * t_.n_outputs, 0.0);
    return {space, 0};
  }

  template <class Id>
  void start(const Id* rows, std::size_t m) {
    weight_ = impurity_ = 0;
    pure_ = true;
    for (std::size_t i = 0; i < m; ++i) weight_ += w(rows[i]);
    for (std::size_t o = 0; o < t_.n_outputs; ++o) {
      const double first = y(rows[0], o);
      double sum = 0, deviance = 0;
      bool same = true;
      positive_[o] = 0;
      for (std::size_t i = 0; i < m; ++i) {
        sum += w(rows[i]) * (y(rows[i], o) - first);
        same = same && y(rows[i], o) == first;
        positive_[o] += y(rows[i], o) > 0;
      }
      mean_[o] = first + sum / weight_;
      pure_ = pure_ && same;
      for (std::size_t i = 0; i < m && !same; ++i) {
        const double v = y(rows[i], o);
        if (v > 0) deviance += w(rows[i]) * v * std::log(v / mean_[o]);
      }
      impurity_ += deviance / static_cast<double>(t_.n_outputs);
    }
  }

  template <class Id>
  void add(Left& l, Id i) const {
    for (std::size_t o = 0; o < t_.n_outputs; ++o) {
      l.sum[o] += w(i) * (y(i, o) - mean_[o]);
      l.sum[t_.n_outputs + o] += y(i, o) > 0;
    }
    l.weight += w(i);
  }
  void merge(Left& l, const Left& other) const {
    for (std::size_t k = 0; k < 2 * t_.n_outputs; ++k) l.sum[k] += other.sum[k];
    l.weight += other.weight;
  }
  bool exceeds(const Left& l, double best) const {
    if (t_.n_outputs > 1) return true;
    return l.sum[0] * l.sum[0] * weight_ * (1 + 1e-12) > best * (mean_[0] * l.weight * (weight_ - l.weight));
  }
  double decrease(const Left& l) const {
    const double right = weight_ - l.weight;
    double sum = 0;
    for (std::size_t o = 0; o < t_.n_outputs; ++o) {
      const double n = l.sum[t_.n_outputs + o], a = mean_[o] * l.weight, b = mean_[o] * right, excess = l.sum[o];
      if (n == 0 || n == positive_[o]) return -kInfinity;
      sum += information(a + excess, excess, a) + information(b - excess, -excess, b);
    }
    return sum / static_cast<double>(t_.n_outputs);
  }
  double left_weight(const Left& l) const { return l.weight; }
  double order(const Left& l, std::size_t o) const { return l.sum[o] / l.weight; }
  std::size_t n_orders() const { return t_.n_outputs; }
  bool ordered() const { return t_.n_outputs == 1; }
  std::size_t only_order() const { return 0; }
  double left_value(const Left& l) const { return mean_[0] + l.sum[0] / l.weight; }
  double right_value(const Left& l) const { return mean_[0] - l.sum[0] / (weight_ - l.weight); }

  const Targets& targets() const { return t_; }
  double weight() const { return weight_; }
  double impurity() const { return impurity_; }
  bool pure() const { return pure_; }
  void value(double* out) const { std::copy(mean_.begin(), mean_.end(), out); }

 private:
  template <class Id>
  double w(Id i) const {
    return t_.w ? t_.w[i] : 1.0;
  }
  template <class Id>
  double y(Id i, std::size_t o) const {
    return t_.y[i * t_.n_outputs + o];
  }

  Targets t_;
  std::vector<double> mean_, positive_;
  double weight_ = 0, impurity_ = 0;
  bool pure_ = false;
};

}  // namespace surefit::exact_tree
