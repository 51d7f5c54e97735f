// The squared error of one target or of several.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tree/exact_criterion.hpp"

namespace surefit::exact_tree {

// Squared error of one output. Left: the sum of w(y − mean), so that the right one is its negative. The mean is
// rounded; `rest_` is what it lacks, so that splits that mirror each other have the same decrease.
template <bool kUnit>
class SquaredError {
 public:
  static constexpr bool kMerges = true, kSlow = false;
  struct Left {
    double sum = 0, weight = 0;
  };

  explicit SquaredError(const Targets& targets) : t_(targets) {}
  static std::size_t scratch(const Targets&) { return 0; }
  Left empty(double*) const { return {}; }

  template <class Id>
  void start(const Id* rows, std::size_t m) {
    gather(rows, m);
    const auto y = [&](std::size_t i) { return sizeof(Id) == sizeof(Row) ? here_[i] : t_.y[rows[i]]; };
    const double first = y(0);
    double sum = 0;
    weight_ = 0, pure_ = true;
    for (std::size_t i = 0; i < m; ++i) {
      const double e = y(i) - first;
      pure_ = pure_ && e == 0;
      sum += w(rows[i]) * e, weight_ += w(rows[i]);
    }
    mean_ = first + sum / weight_;
    double rest = 0;
    for (std::size_t i = 0; i < m; ++i) rest += w(rows[i]) * (y(i) - mean_);
    mean_ += pure_ ? 0 : rest / weight_;
    impurity_ = rest_ = 0;
    for (std::size_t i = 0; i < m && !pure_; ++i) {
      const double e = y(i) - mean_;
      impurity_ += w(rows[i]) * e * e, rest_ += w(rows[i]) * e;
    }
    rest_ /= weight_;
  }

  template <class Id>
  void prefetch(Id i) const {
    __builtin_prefetch(t_.y + i, 0, 2);
  }
  template <class Id>
  void add(Left& l, Id i) const {
    l.sum += kUnit ? t_.y[i] - mean_ : t_.w[i] * (t_.y[i] - mean_);
    l.weight += w(i);
  }
  void merge(Left& l, const Left& other) const { l.sum += other.sum, l.weight += other.weight; }
  bool exceeds(const Left& l, double best) const {
    const double sum = l.sum - rest_ * l.weight;
    return sum * sum * weight_ > best * (l.weight * (weight_ - l.weight));
  }
  double decrease(const Left& l) const {
    const double sum = l.sum - rest_ * l.weight;
    return sum * sum * weight_ / (l.weight * (weight_ - l.weight));
  }
  double left_weight(const Left& l) const { return l.weight; }
  double order(const Left& l, std::size_t) const { return l.sum / l.weight; }
  std::size_t n_orders() const { return 1; }
  bool ordered() const { return true; }
  std::size_t only_order() const { return 0; }
  double left_value(const Left& l) const { return t_.shift[0] + (mean_ + l.sum / l.weight); }
  double right_value(const Left& l) const { return t_.shift[0] + (mean_ - l.sum / (weight_ - l.weight)); }

  const Targets& targets() const { return t_; }
  double weight() const { return weight_; }
  double impurity() const { return impurity_; }
  bool pure() const { return pure_; }
  void value(double* out) const { out[0] = t_.shift[0] + mean_; }

 private:
  // The targets of a large node side by side, since they are read three times.
  template <class Id>
  void gather(const Id* rows, std::size_t m) {
    if constexpr (sizeof(Id) == sizeof(Row)) {
      here_.resize(std::max(here_.size(), m));
      for (std::size_t i = 0; i < m; ++i) {
        prefetch(rows[std::min(i + kAhead, m - 1)]);
        here_[i] = t_.y[rows[i]];
      }
    }
  }
  template <class Id>
  double w(Id i) const {
    return kUnit ? 1.0 : t_.w[i];
  }

  Targets t_;
  std::vector<double> here_;
  double mean_ = 0, rest_ = 0, weight_ = 0, impurity_ = 0;
  bool pure_ = false;
};

// Squared error of several outputs.
class SquaredErrors {
 public:
  static constexpr bool kMerges = true, kSlow = false;
  using Left = Sums;

  explicit SquaredErrors(const Targets& targets) : t_(targets), mean_(targets.n_outputs), rest_(targets.n_outputs) {}
  static std::size_t scratch(const Targets& t) { return t.n_outputs; }
  Left empty(double* space) const {
    std::fill_n(space, t_.n_outputs, 0.0);
    return {space, 0};
  }

  template <class Id>
  void start(const Id* rows, std::size_t m) {
    weight_ = impurity_ = 0;
    pure_ = true;
    for (std::size_t i = 0; i < m; ++i) weight_ += w(rows[i]);
    for (std::size_t o = 0; o < t_.n_outputs; ++o) {
      const double first = y(rows[0], o);
      double sum = 0, rest = 0, squares = 0;
      bool same = true;
      for (std::size_t i = 0; i < m; ++i) {
        sum += w(rows[i]) * (y(rows[i], o) - first);
        same = same && y(rows[i], o) == first;
      }
      mean_[o] = first + sum / weight_;
      rest_[o] = 0;
      pure_ = pure_ && same;
      if (same) continue;
      for (std::size_t i = 0; i < m; ++i) rest += w(rows[i]) * (y(rows[i], o) - mean_[o]);
      mean_[o] += rest / weight_;
      for (std::size_t i = 0; i < m; ++i) {
        const double e = y(rows[i], o) - mean_[o];
        squares += w(rows[i]) * e * e, rest_[o] += w(rows[i]) * e;
      }
      rest_[o] /= weight_;
      impurity_ += squares / static_cast<double>(t_.n_outputs);
    }
  }

  template <class Id>
  void add(Left& l, Id i) const {
    for (std::size_t o = 0; o < t_.n_outputs; ++o) l.sum[o] += w(i) * (y(i, o) - mean_[o]);
    l.weight += w(i);
  }
  void merge(Left& l, const Left& other) const {
    for (std::size_t o = 0; o < t_.n_outputs; ++o) l.sum[o] += other.sum[o];
    l.weight += other.weight;
  }
  bool exceeds(const Left& l, double best) const { return decrease(l) > best; }
  double decrease(const Left& l) const {
    double squares = 0;
    for (std::size_t o = 0; o < t_.n_outputs; ++o) {
      const double sum = l.sum[o] - rest_[o] * l.weight;
      squares += sum * sum;
    }
    return squares * weight_ / (l.weight * (weight_ - l.weight)) / static_cast<double>(t_.n_outputs);
  }
  double left_weight(const Left& l) const { return l.weight; }
  double order(const Left& l, std::size_t o) const { return l.sum[o] / l.weight; }
  std::size_t n_orders() const { return t_.n_outputs; }
  bool ordered() const { return t_.n_outputs == 1; }
  std::size_t only_order() const { return 0; }
  double left_value(const Left& l) const { return t_.shift[0] + (mean_[0] + l.sum[0] / l.weight); }
  double right_value(const Left& l) const { return t_.shift[0] + (mean_[0] - l.sum[0] / (weight_ - l.weight)); }

  const Targets& targets() const { return t_; }
  double weight() const { return weight_; }
  double impurity() const { return impurity_; }
  bool pure() const { return pure_; }
  void value(double* out) const {
    for (std::size_t o = 0; o < t_.n_outputs; ++o) out[o] = t_.shift[o] + mean_[o];
  }

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
  std::vector<double> mean_, rest_;
  double weight_ = 0, impurity_ = 0;
  bool pure_ = false;
};

}  // namespace surefit::exact_tree
