// Gini and entropy of more classes, and of several outputs.
#pragma once

#include <algorithm>
#include <cmath>

#include "tree/exact_criterion.hpp"
#include "tree/exact_information.hpp"

namespace surefit::exact_tree {

// More classes, one output, at most 256. Left: the weights a of the classes and, for the bounds, Σ a² (entropy: Σ a²/t)
// and Σ a·t, kept up to date row by row.
template <bool kEntropy>
class FewClasses {
 public:
  static constexpr bool kMerges = true, kSlow = false;
  struct Left {
    double* sum = nullptr;
    double weight = 0, squares = 0, products = 0;
  };

  explicit FewClasses(const Targets& targets)
      : t_(targets), total_(targets.n_classes), share_(targets.n_classes) {}
  static std::size_t scratch(const Targets& t) { return t.n_classes; }
  Left empty(double* space) const {
    std::fill_n(space, total_.size(), 0.0);
    return {space, 0, 0, 0};
  }

  template <class Id>
  void start(const Id* rows, std::size_t m) {
    std::fill(total_.begin(), total_.end(), 0.0);
    weight_ = impurity_ = 0;
    for (std::size_t i = 0; i < m; ++i) total_[t_.small_code[rows[i]]] += w(rows[i]), weight_ += w(rows[i]);
    std::size_t present = 0;
    squares_ = 0;
    for (std::size_t k = 0; k < total_.size(); ++k) {
      const double t = total_[k];
      share_[k] = t > 0 ? 1 / t : 0;
      squares_ += t * t;
      if (t <= 0) continue;
      ++present, last_ = k;
      impurity_ += kEntropy ? -t * std::log2(t / weight_) : t * ((weight_ - t) / weight_);
    }
    pure_ = present == 1, ordered_ = present <= 2;
    if (pure_) impurity_ = 0;
    rounding_ = 4 * (static_cast<double>(m) + 8) * std::numeric_limits<double>::epsilon();
  }

  template <class Id>
  void add(Left& l, Id i) const {
    const std::size_t k = t_.small_code[i];
    const double weight = w(i), a = l.sum[k];
    l.sum[k] = a + weight;
    l.squares += weight * (a + a + weight) * (kEntropy ? share_[k] : 1.0);
    if (!kEntropy) l.products += weight * total_[k];
    l.weight += weight;
  }
  void merge(Left& l, const Left& other) const {
    for (std::size_t k = 0; k < total_.size(); ++k) l.sum[k] += other.sum[k];
    l.weight += other.weight;
    l.squares = kInfinity;  // no bound
  }

  // With the bound of their rounding: Gini as Σ a²/W_l + Σ (t − a)²/W_r − Σ t²/W; for entropy χ²,
  // W (W Σ a²/t − W_l²) / (W_l W_r).
  bool exceeds(const Left& l, double best) const {
    const double right = weight_ - l.weight, parts = l.weight * right;
    if constexpr (kEntropy) {
      const double product = weight_ * l.squares;
      return 1.4427 * weight_ * (product * (1 + rounding_) - l.weight * l.weight) > best * parts;
    } else {
      const double other = squares_ - 2 * l.products + l.squares;
      return l.squares * right + other * l.weight > (best + squares_ / weight_ - rounding_ * weight_) * parts;
    }
  }
  double decrease(const Left& l) const {
    const double right = weight_ - l.weight;
    double sum = 0;
    for (std::size_t k = 0; k < total_.size(); ++k) {
      const double a = l.sum[k], t = total_[k], cross = a * weight_ - t * l.weight;
      if constexpr (kEntropy) {
        if (t > 0) sum += information(a, cross, l.weight * t) + information(t - a, -cross, right * t);
      } else {
        sum += cross * cross;
      }
    }
    return kEntropy ? sum / M_LN2 : sum / (weight_ * l.weight * right);
  }
  double left_weight(const Left& l) const { return l.weight; }
  double order(const Left& l, std::size_t k) const { return l.sum[k] / l.weight; }
  std::size_t n_orders() const { return total_.size(); }
  bool ordered() const { return ordered_; }
  std::size_t only_order() const { return last_; }
  double left_value(const Left& l) const { return l.sum[1] / l.weight; }
  double right_value(const Left& l) const { return (total_[1] - l.sum[1]) / (weight_ - l.weight); }

  const Targets& targets() const { return t_; }
  double weight() const { return weight_; }
  double impurity() const { return impurity_; }
  bool pure() const { return pure_; }
  void value(double* out) const {
    for (std::size_t k = 0; k < total_.size(); ++k) out[k] = total_[k] / weight_;
  }

 private:
  template <class Id>
  double w(Id i) const {
    return t_.w ? t_.w[i] : 1.0;
  }

  Targets t_;
  std::vector<double> total_, share_;
  double weight_ = 0, impurity_ = 0, squares_ = 0, rounding_ = 0;
  bool pure_ = false, ordered_ = false;
  std::size_t last_ = 0;  // the last class present
};

// Gini and entropy of any number of classes and outputs.
template <bool kEntropy>
class Classes {
 public:
  static constexpr bool kMerges = true, kSlow = false;
  using Left = Sums;

  explicit Classes(const Targets& targets) : t_(targets), total_(targets.n_outputs * targets.n_classes) {}
  static std::size_t scratch(const Targets& t) { return t.n_outputs * t.n_classes; }
  Left empty(double* space) const {
    std::fill_n(space, total_.size(), 0.0);
    return {space, 0};
  }

  template <class Id>
  void start(const Id* rows, std::size_t m) {
    Left all = empty(total_.data());
    for (std::size_t i = 0; i < m; ++i) add(all, rows[i]);
    weight_ = all.weight;
    impurity_ = 0;
    std::size_t present = 0;
    for (std::size_t k = 0; k < total_.size(); ++k) {
      const double t = total_[k];
      if (t <= 0) continue;
      ++present, last_ = k;
      impurity_ += kEntropy ? -t * std::log2(t / weight_) : t * ((weight_ - t) / weight_);
    }
    pure_ = present == t_.n_outputs;
    ordered_ = t_.n_outputs == 1 && present <= 2;
    impurity_ = pure_ ? 0 : impurity_ / static_cast<double>(t_.n_outputs);
  }

  template <class Id>
  void add(Left& l, Id i) const {
    const double w = t_.w ? t_.w[i] : 1.0;
    for (std::size_t o = 0; o < t_.n_outputs; ++o) l.sum[o * t_.n_classes + t_.code[i * t_.n_outputs + o]] += w;
    l.weight += w;
  }
  void merge(Left& l, const Left& other) const {
    for (std::size_t k = 0; k < total_.size(); ++k) l.sum[k] += other.sum[k];
    l.weight += other.weight;
  }
  bool exceeds(const Left& l, double best) const { return decrease(l) > best; }
  double decrease(const Left& l) const {
    const double right = weight_ - l.weight, outputs = static_cast<double>(t_.n_outputs);
    double sum = 0;
    for (std::size_t k = 0; k < total_.size(); ++k) {
      const double a = l.sum[k], t = total_[k], cross = a * weight_ - t * l.weight;
      if constexpr (kEntropy) {
        if (t > 0) sum += information(a, cross, l.weight * t) + information(t - a, -cross, right * t);
      } else {
        sum += cross * cross;
      }
    }
    return kEntropy ? sum / (M_LN2 * outputs) : sum / (weight_ * l.weight * right * outputs);
  }
  double left_weight(const Left& l) const { return l.weight; }
  double order(const Left& l, std::size_t k) const { return l.sum[k] / l.weight; }
  std::size_t n_orders() const { return total_.size(); }
  bool ordered() const { return ordered_; }
  std::size_t only_order() const { return last_; }
  double left_value(const Left& l) const { return l.sum[1] / l.weight; }
  double right_value(const Left& l) const { return (total_[1] - l.sum[1]) / (weight_ - l.weight); }

  const Targets& targets() const { return t_; }
  double weight() const { return weight_; }
  double impurity() const { return impurity_; }
  bool pure() const { return pure_; }
  void value(double* out) const {
    for (std::size_t k = 0; k < total_.size(); ++k) out[k] = total_[k] / weight_;
  }

 private:
  Targets t_;
  std::vector<double> total_;
  double weight_ = 0, impurity_ = 0;
  bool pure_ = false, ordered_ = false;
  std::size_t last_ = 0;  // the last class present
};

}  // namespace surefit::exact_tree
