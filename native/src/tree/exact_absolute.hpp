// The absolute error around the median, of one target or several.
//
// The rows of a node are ranked by their target. A Fenwick tree over the ranks holds the weights and the weighted
// targets of what has gone left; with the tree of the whole node it also gives what is right. The median of a side is
// found by one descent, and with W_<, W_> the weights and S_<, S_> the sums below and above it the error of the side is
//
//     (S_> − median·W_>) + (median·W_< − S_<) .
//
// So a scan of m rows takes O(m log m) operations.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tree/exact_criterion.hpp"

namespace surefit::exact_tree {

class AbsoluteError {
 public:
  static constexpr bool kMerges = false, kSlow = true;
  using Left = Sums;  // for each output pairs (weight, sum) of the Fenwick tree; the pair 0 has the sum of all

 private:
  auto left_entries(const Left& l) const {
    return [&l](std::size_t k) { return l.sum[k]; };
  }
  auto right_entries(const Left& l) const {
    return [this, &l](std::size_t k) { return node_[k] - l.sum[k]; };
  }

 public:
  explicit AbsoluteError(const Targets& targets)
      : t_(targets), rank_(targets.n * targets.n_outputs), sorted_(targets.n * targets.n_outputs),
        node_(scratch(targets)), median_(targets.n_outputs) {}
  static std::size_t scratch(const Targets& t) { return 2 * t.n_outputs * (t.n + 1); }
  Left empty(double* space) const {
    std::fill_n(space, 2 * t_.n_outputs * (m_ + 1), 0.0);
    return {space, 0};
  }

  template <class Id>
  void start(const Id* rows, std::size_t m) {
    m_ = m, top_ = 1;
    while (2 * top_ <= m) top_ *= 2;
    std::vector<Id>& order = order_of<Id>();
    order.assign(rows, rows + m);
    pure_ = true;
    for (std::size_t o = 0; o < t_.n_outputs; ++o) {
      std::sort(order.begin(), order.end(),
                [&](Id a, Id b) { return y(a, o) < y(b, o) || (y(a, o) == y(b, o) && a < b); });
      for (std::size_t r = 0; r < m; ++r) {
        rank_[order[r] * t_.n_outputs + o] = static_cast<Row>(r);
        sorted_[o * t_.n + r] = y(order[r], o);
      }
      pure_ = pure_ && sorted_[o * t_.n] == sorted_[o * t_.n + m - 1];
    }
    Left all = empty(node_.data());
    for (std::size_t i = 0; i < m; ++i) add(all, rows[i]);
    weight_ = all.weight, impurity_ = 0;
    for (std::size_t o = 0; o < t_.n_outputs; ++o) {
      median_[o] = median(o, weight_, left_entries(all));
      impurity_ += side(o, weight_, left_entries(all)).error / static_cast<double>(t_.n_outputs);
    }
    if (pure_) impurity_ = 0;
  }

  template <class Id>
  void add(Left& l, Id i) const {
    const double w = t_.w ? t_.w[i] : 1.0;
    for (std::size_t o = 0; o < t_.n_outputs; ++o) {
      double* pairs = l.sum + 2 * o * (m_ + 1);
      const double wy = w * y(i, o);
      pairs[1] += wy;
      for (std::size_t k = rank_[i * t_.n_outputs + o] + std::size_t{1}; k <= m_; k += k & (~k + 1)) {
        pairs[2 * k] += w, pairs[2 * k + 1] += wy;
      }
    }
    l.weight += w;
  }
  void merge(Left&, const Left&) const {}
  bool exceeds(const Left&, double) const { return true; }
  double decrease(const Left& l) const {
    double error = 0;
    for (std::size_t o = 0; o < t_.n_outputs; ++o) {
      error += side(o, l.weight, left_entries(l)).error + side(o, weight_ - l.weight, right_entries(l)).error;
    }
    return impurity_ - error / static_cast<double>(t_.n_outputs);
  }
  double left_weight(const Left& l) const { return l.weight; }
  double order(const Left& l, std::size_t o) const { return median(o, l.weight, left_entries(l)); }
  std::size_t n_orders() const { return t_.n_outputs; }
  bool ordered() const { return true; }
  std::size_t only_order() const { return 0; }
  double left_value(const Left& l) const { return t_.shift[0] + median(0, l.weight, left_entries(l)); }
  double right_value(const Left& l) const {
    return t_.shift[0] + median(0, weight_ - l.weight, right_entries(l));
  }

  const Targets& targets() const { return t_; }
  double weight() const { return weight_; }
  double impurity() const { return impurity_; }
  bool pure() const { return pure_; }
  void value(double* out) const {
    for (std::size_t o = 0; o < t_.n_outputs; ++o) out[o] = t_.shift[o] + median_[o];
  }

 private:
  struct Side {
    double center, error;  // a median and the absolute error around it
  };

  template <class Id>
  double y(Id i, std::size_t o) const {
    return t_.y[i * t_.n_outputs + o];
  }

  // entry(k): the numbers of the side. Finds how many ranks have less than half of the weight: the next is a median.
  template <class Entry>
  Side side(std::size_t o, double weight, Entry&& entry) const {
    const std::size_t pairs = 2 * o * (m_ + 1);
    const double half = weight / 2, *sorted = sorted_.data() + o * t_.n;
    std::size_t below = 0;
    double w = 0, sum = 0;
    for (std::size_t step = top_; step; step /= 2) {
      if (below + step > m_) continue;
      const double next = w + entry(pairs + 2 * (below + step));
      if (next < half) below += step, w = next, sum += entry(pairs + 2 * below + 1);
    }
    const double center = sorted[std::min(below, m_ - 1)], total = entry(pairs + 1);
    return {center, std::max((total - sum - center * (weight - w)) + (center * w - sum), 0.0)};
  }

  // The median: between the first one and the one after half of the weight.
  template <class Entry>
  double median(std::size_t o, double weight, Entry&& entry) const {
    const std::size_t pairs = 2 * o * (m_ + 1);
    const double *sorted = sorted_.data() + o * t_.n, lower = side(o, weight, entry).center;
    std::size_t below = 0;
    double w = 0;
    for (std::size_t step = top_; step; step /= 2) {
      if (below + step > m_ || w + entry(pairs + 2 * (below + step)) > weight / 2) continue;
      below += step, w += entry(pairs + 2 * below);
    }
    const double upper = sorted[std::min(below, m_ - 1)];
    return lower == upper ? lower : lower / 2 + upper / 2;
  }

  template <class Id>
  std::vector<Id>& order_of() {
    if constexpr (sizeof(Id) == sizeof(Row)) {
      return order_;
    } else {
      return short_order_;
    }
  }

  Targets t_;
  std::size_t m_ = 0, top_ = 1;
  std::vector<Row> rank_, order_;
  std::vector<std::uint16_t> short_order_;
  std::vector<double> sorted_, node_, median_;
  double weight_ = 0, impurity_ = 0;
  bool pure_ = false;
};

}  // namespace surefit::exact_tree
