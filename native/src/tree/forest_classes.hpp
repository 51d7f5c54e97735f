// Nodes counted by classes; see forest_targets.hpp for what each kind offers.
#pragma once

#include <algorithm>

#include "tree/forest_sums.hpp"

namespace surefit::forest {

// Classes 0 … K−1; `Fixed` is K where it is known to the compiler, else 0.
template <std::size_t Fixed>
struct Classes {
  struct Item {
    std::uint32_t row, code;
    double w;
  };
  struct Side {
    double weight;
    const double* of_class;
  };

  std::size_t n_classes;
  bool entropy;
  std::vector<double> total, histogram, left;  // of the node, of a feature, of a side
  std::size_t present = 0, last = 0;           // classes in the node, and the last of them
  double weight = 0;
  const double* factor = nullptr;  // of each class: sums of weights are multiplied by it

  Classes(const Examples& e, const Rules& r)
      : n_classes(e.n_classes), entropy(r.criterion == Criterion::entropy), total(e.n_classes),
        histogram(256 * e.n_classes), left(e.n_classes) {}

  std::size_t k() const { return Fixed ? Fixed : n_classes; }
  static Item item(const Examples& e, std::uint32_t i, double w) {
    return {i, static_cast<std::uint32_t>(e.codes[i]), w};
  }

  // What is the same for a whole tree.
  void start_tree(const Bag& bag) { factor = bag.class_weight; }

  Totals totals(const Item* items, std::size_t n) const {
    Totals sums;
    sums.weights.assign(k(), 0.0);
    for (std::size_t i = 0; i < n; ++i) sums.weights[items[i].code] += items[i].w;
    return sums;
  }

  double weigh(const Item* items, std::size_t n) {
    take(totals(items, n));
    return weight;
  }

  // The statistics of a node; false when it is pure.
  bool look(const Item* items, std::size_t n) {
    std::fill(total.begin(), total.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) total[items[i].code] += items[i].w;
    return finish();
  }
  bool take(const Totals& sums) {
    std::copy(sums.weights.begin(), sums.weights.end(), total.begin());
    return finish();
  }
  Rest terms(Item*, std::size_t) { return {}; }
  void take_rest(const Rest&) {}
  bool finish() {
    weight = 0;
    present = 0;
    for (std::size_t c = 0; c < k(); ++c) {
      if (factor) total[c] *= factor[c];
      weight += total[c];
      present += total[c] > 0;
      if (total[c] > 0) last = c;
    }
    return present > 1;
  }
  bool close_to_exact() const { return !entropy; }
  double impurity() const {
    double sum = 0;
    for (std::size_t c = 0; c < k(); ++c) {
      const double p = total[c] / weight;
      sum += entropy ? -xlogy(p, p) / std::log(2.0) : p * (1 - p);
    }
    return sum;
  }
  void write(std::vector<double>& value) const {
    for (std::size_t c = 0; c < k(); ++c) value.push_back(total[c] / weight);
  }
  // In the unit of `decrease`.
  double weighted_impurity() const { return weight * impurity() * (entropy ? std::log(2.0) : 1.0); }
  double share(double decrease) const { return entropy ? decrease / std::log(2.0) : decrease; }

  void add(const Item& item, std::uint8_t bin) { histogram[bin * k() + item.code] += item.w; }
  // After all rows were added, before the bins are scanned.
  void scale(std::size_t bin) {
    for (std::size_t c = 0; factor && c < k(); ++c) histogram[bin * k() + c] *= factor[c];
  }
  std::size_t n_values() const { return k(); }
  std::size_t width() const { return k(); }
  void write_cells(double* cells) const { std::copy(histogram.begin(), histogram.end(), cells); }
  void read_cells(const double* cells) { std::copy_n(cells, histogram.size(), histogram.begin()); }
  double bin_weight(std::size_t bin) const {
    double sum = 0;
    for (std::size_t c = 0; c < k(); ++c) sum += histogram[bin * k() + c];
    return sum;
  }
  bool one_order() const { return present <= 2; }
  std::size_t n_orders() const { return k(); }
  // The share of class c in a bin; of the last class of the node where there are two.
  double order(std::size_t bin, std::size_t c) const {
    return histogram[bin * k() + (one_order() ? last : c)] / bin_weight(bin);
  }
  void start() { std::fill(left.begin(), left.end(), 0.0); }
  void move_left(std::size_t bin) {
    for (std::size_t c = 0; c < k(); ++c) left[c] += histogram[bin * k() + c];
  }
  void take_back(std::size_t bin) {
    for (std::size_t c = 0; c < k(); ++c) left[c] -= histogram[bin * k() + c];
  }
  void clear(std::size_t bin) {
    for (std::size_t c = 0; c < k(); ++c) histogram[bin * k() + c] = 0;
  }
  bool allowed(double, double) const { return true; }
  double decrease(double L, double R) const {
    if (entropy) {
      double sum = 0;
      for (std::size_t c = 0; c < k(); ++c) {
        const double l = left[c], r = total[c] - l;
        sum += xlogy(l, l * weight / (L * total[c])) + xlogy(r, r * weight / (R * total[c]));
      }
      return sum;
    }
    if constexpr (Fixed == 2) {
      const double difference = left[1] * R - (total[1] - left[1]) * L;
      return 2 * difference * difference / (weight * L * R);
    }
    double sum = 0;
    for (std::size_t c = 0; c < k(); ++c) {
      const double difference = left[c] * R - (total[c] - left[c]) * L;
      sum += difference * difference;
    }
    return sum / (weight * L * R);
  }
};

}  // namespace surefit::forest
