// Gini and entropy of two classes.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "tree/exact_criterion.hpp"
#include "tree/exact_information.hpp"

namespace surefit::exact_tree {

// Two classes. Left: the weight of the second class and of both; the second alone decides:
//   cross = a·W − t·W_l (a, t of the second class; the first has −cross).
template <bool kEntropy, bool kUnit>
class TwoClasses {
 public:
  static constexpr bool kMerges = true, kSlow = false;
  using Number = std::conditional_t<kUnit, std::int64_t, double>;
  struct Left {
    Number second = 0, all = 0;
  };

  explicit TwoClasses(const Targets& targets) : t_(targets) {}
  static std::size_t scratch(const Targets&) { return 0; }
  Left empty(double*) const { return {}; }

  template <class Id>
  void start(const Id* rows, std::size_t m) {
    Left left;
    for (std::size_t i = 0; i < m; ++i) add(left, rows[i]);
    second_ = left.second, all_ = left.all;
    weight_ = static_cast<double>(all_);
    const double b = static_cast<double>(second_), a = weight_ - b;
    pure_ = second_ == 0 || second_ == all_;
    factor_ = kEntropy ? weight_ / (a * b) : 2 / weight_;
    impurity_ = pure_ ? 0 : kEntropy ? -a * std::log2(a / weight_) - b * std::log2(b / weight_) : 2 * a * (b / weight_);
  }

  template <class Id>
  void prefetch(Id i) const {
    __builtin_prefetch(t_.small_code + i, 0, 2);
  }
  template <class Id>
  void add(Left& l, Id i) const {
    if constexpr (kUnit) {
      l.second += t_.small_code[i], l.all += 1;
    } else {
      l.second += t_.small_code[i] ? t_.w[i] : 0.0, l.all += t_.w[i];
    }
  }
  void merge(Left& l, const Left& other) const { l.second += other.second, l.all += other.all; }

  // Entropy: the bound by χ², a little up for its rounding (in bits; log₂ e = 1.4427).
  bool exceeds(const Left& l, double best) const {
    const double c = cross(l), parts = static_cast<double>(l.all) * static_cast<double>(all_ - l.all);
    return c * c * factor_ * (kEntropy ? 1.4427 : 1.0) > best * parts;
  }
  double decrease(const Left& l) const {
    const double left = static_cast<double>(l.all), right = static_cast<double>(all_ - l.all), c = cross(l);
    if constexpr (!kEntropy) return c * c * factor_ / (left * right);
    const double b = static_cast<double>(l.second), a = static_cast<double>(l.all - l.second);
    const double t = static_cast<double>(second_), s = static_cast<double>(all_ - second_);
    return (information(b, c, left * t) + information(t - b, -c, right * t) + information(a, -c, left * s) +
            information(s - a, c, right * s)) /
           M_LN2;
  }
  double left_weight(const Left& l) const { return static_cast<double>(l.all); }
  double order(const Left& l, std::size_t) const { return left_value(l); }
  std::size_t n_orders() const { return 1; }
  bool ordered() const { return true; }
  std::size_t only_order() const { return 0; }
  double left_value(const Left& l) const { return static_cast<double>(l.second) / static_cast<double>(l.all); }
  double right_value(const Left& l) const {
    return static_cast<double>(second_ - l.second) / static_cast<double>(all_ - l.all);
  }

  const Targets& targets() const { return t_; }
  double weight() const { return weight_; }
  double impurity() const { return impurity_; }
  bool pure() const { return pure_; }
  void value(double* out) const {
    out[1] = static_cast<double>(second_) / weight_, out[0] = static_cast<double>(all_ - second_) / weight_;
  }

 private:
  double cross(const Left& l) const { return static_cast<double>(l.second * all_ - second_ * l.all); }

  Targets t_;
  Number second_ = 0, all_ = 0;
  double weight_ = 0, impurity_ = 0, factor_ = 0;
  bool pure_ = false;
};

}  // namespace surefit::exact_tree
