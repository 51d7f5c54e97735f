// Impurities of a node and the decrease by a split.
//
// A criterion is told the rows of a node (`start`), then `Left` is filled row by row and asked for the decrease
//
//     W·I(node) − W_l·I(left) − W_r·I(right)          (W the weights, averaged over outputs)
//
// in forms without cancellation: with a the sums left and t the sums of the node,
//
//     squared error, Gini    Σ (a·W − t·W_l)² / (W·W_l·W_r)
//     entropy                Σ a log₂(a·W / (W_l·t)) + (t − a) log₂((t − a)·W / (W_r·t))      over classes
//     Poisson                the same sum, natural logarithms, a and t the sums of the targets
#pragma once

#include <algorithm>
#include <cmath>

#include "tree/exact_problem.hpp"

namespace surefit::exact_tree {

// Squared error of one output. Left: the sum of w(y − mean), so that the right one is its negative.
template <bool kUnit>
class SquaredError {
 public:
  struct Left {
    double sum = 0, weight = 0;
  };

  explicit SquaredError(const Targets& targets) : t_(targets) {}
  static std::size_t scratch(const Targets&) { return 0; }
  Left empty(double*) const { return {}; }

  template <class Id>
  void start(const Id* rows, std::size_t m) {
    const double first = t_.y[rows[0]];
    double sum = 0;
    weight_ = 0, pure_ = true;
    for (std::size_t i = 0; i < m; ++i) {
      const double e = t_.y[rows[i]] - first;
      pure_ = pure_ && e == 0;
      sum += w(rows[i]) * e, weight_ += w(rows[i]);
    }
    mean_ = first + sum / weight_;
    double rest = 0;
    for (std::size_t i = 0; i < m; ++i) rest += w(rows[i]) * (t_.y[rows[i]] - mean_);
    mean_ += pure_ ? 0 : rest / weight_;
    impurity_ = 0;
    for (std::size_t i = 0; i < m && !pure_; ++i) {
      const double e = t_.y[rows[i]] - mean_;
      impurity_ += w(rows[i]) * e * e;
    }
  }

  template <class Id>
  void add(Left& l, Id i) const {
    l.sum += kUnit ? t_.y[i] - mean_ : t_.w[i] * (t_.y[i] - mean_);
    l.weight += w(i);
  }
  void merge(Left& l, const Left& other) const { l.sum += other.sum, l.weight += other.weight; }
  bool exceeds(const Left& l, double best) const {
    return l.sum * l.sum * weight_ > best * (l.weight * (weight_ - l.weight));
  }
  double decrease(const Left& l) const { return l.sum * l.sum * weight_ / (l.weight * (weight_ - l.weight)); }
  double left_weight(const Left& l) const { return l.weight; }
  double order(const Left& l, std::size_t) const { return l.sum / l.weight; }
  std::size_t n_orders() const { return 1; }
  double left_value(const Left& l) const { return t_.shift[0] + (mean_ + l.sum / l.weight); }
  double right_value(const Left& l) const { return t_.shift[0] + (mean_ - l.sum / (weight_ - l.weight)); }

  const Targets& targets() const { return t_; }
  double weight() const { return weight_; }
  double impurity() const { return impurity_; }
  bool pure() const { return pure_; }
  void value(double* out) const { out[0] = t_.shift[0] + mean_; }

 private:
  template <class Id>
  double w(Id i) const {
    return kUnit ? 1.0 : t_.w[i];
  }

  Targets t_;
  double mean_ = 0, weight_ = 0, impurity_ = 0;
  bool pure_ = false;
};

// Sums of several columns in each node: what the general criteria share.
struct Sums {
  double* sum = nullptr;
  double weight = 0;
};

// Squared error of several outputs.
class SquaredErrors {
 public:
  using Left = Sums;

  explicit SquaredErrors(const Targets& targets) : t_(targets), mean_(targets.n_outputs) {}
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
      pure_ = pure_ && same;
      if (same) continue;
      for (std::size_t i = 0; i < m; ++i) rest += w(rows[i]) * (y(rows[i], o) - mean_[o]);
      mean_[o] += rest / weight_;
      for (std::size_t i = 0; i < m; ++i) {
        const double e = y(rows[i], o) - mean_[o];
        squares += w(rows[i]) * e * e;
      }
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
    for (std::size_t o = 0; o < t_.n_outputs; ++o) squares += l.sum[o] * l.sum[o];
    return squares * weight_ / (l.weight * (weight_ - l.weight)) / static_cast<double>(t_.n_outputs);
  }
  double left_weight(const Left& l) const { return l.weight; }
  double order(const Left& l, std::size_t o) const { return l.sum[o] / l.weight; }
  std::size_t n_orders() const { return t_.n_outputs; }
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
  std::vector<double> mean_;
  double weight_ = 0, impurity_ = 0;
  bool pure_ = false;
};

// a log(a·total / (part·t)): a share of the information that a split gives about classes or targets.
inline double information(double a, double t, double part, double total) {
  if (a <= 0) return 0;
  const double expected = part * t, ratio = (a * total - expected) / expected;
  return a * std::log1p(ratio);
}

// Gini and entropy of any number of classes and outputs.
template <bool kEntropy>
class Classes {
 public:
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
    for (const double t : total_) {
      if (t <= 0) continue;
      ++present;
      impurity_ += kEntropy ? -t * std::log2(t / weight_) : t * ((weight_ - t) / weight_);
    }
    pure_ = present == t_.n_outputs;
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
      const double a = l.sum[k], t = total_[k];
      if constexpr (kEntropy) {
        if (t > 0) sum += information(a, t, l.weight, weight_) + information(t - a, t, right, weight_);
      } else {
        const double cross = a * weight_ - t * l.weight;
        sum += cross * cross;
      }
    }
    return kEntropy ? sum / (M_LN2 * outputs) : sum / (weight_ * l.weight * right * outputs);
  }
  double left_weight(const Left& l) const { return l.weight; }
  double order(const Left& l, std::size_t k) const { return l.sum[k] / l.weight; }
  std::size_t n_orders() const { return total_.size(); }
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
  bool pure_ = false;
};

}  // namespace surefit::exact_tree
