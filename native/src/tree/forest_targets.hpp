// What the rows of a node are counted by: classes or numbers.
//
// Each kind offers: Item (a row in a node: its example, its weight, its target), the statistics of a node, a histogram
// over the bins of one feature, orders of its bins, and the decrease of the weighted impurity between a left and a right
// part. `one_order`: the best set of bins is among the first ones of order 0. Decreases are written without differences of nearly equal numbers: with L, R the weights of the two sides and W = L + R,
//
//   Gini           Σₖ (lₖ R − rₖ L)² / (W L R)
//   entropy        Σₖ lₖ log(lₖ W / (L tₖ)) + rₖ log(rₖ W / (R tₖ))
//   squared error  S² W / (L R),  S the left sum of targets that are centered in the node
//   Poisson        Sₗ log(Sₗ W / (L S)) + Sᵣ log(Sᵣ W / (R S)),  sums of the targets themselves
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tree/forest.hpp"

namespace surefit::forest {

inline double xlogy(double x, double y) { return x > 0 ? x * std::log(y) : 0.0; }

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

  Classes(const Examples& e, const Rules& r)
      : n_classes(e.n_classes), entropy(r.criterion == Criterion::entropy), total(e.n_classes),
        histogram(256 * e.n_classes), left(e.n_classes) {}

  std::size_t k() const { return Fixed ? Fixed : n_classes; }
  static Item item(const Examples& e, std::uint32_t i, double w) {
    return {i, static_cast<std::uint32_t>(e.codes[i]), w};
  }

  // The statistics of a node; false when it is pure.
  bool look(const Item* items, std::size_t n) {
    std::fill(total.begin(), total.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i) total[items[i].code] += items[i].w;
    weight = 0;
    present = 0;
    for (std::size_t c = 0; c < k(); ++c) {
      weight += total[c];
      present += total[c] > 0;
      if (total[c] > 0) last = c;
    }
    return present > 1;
  }
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

struct Numbers {
  struct Item {
    std::uint32_t row;
    std::int32_t unused;
    double w, y;
  };
  struct Cell {
    double weight, sum;
  };

  bool poisson;
  std::vector<Cell> histogram;
  double weight = 0, origin = 0, offset = 0, mean = 0, spread = 0, left = 0, sum = 0, deviance = 0;

  Numbers(const Examples&, const Rules& r) : poisson(r.criterion == Criterion::poisson), histogram(256) {}

  static Item item(const Examples& e, std::uint32_t i, double w) { return {i, 0, w, e.y[i]}; }

  // The mean is kept as origin + offset, the first target and what is beyond it: differences of targets that are large
  // and close to each other keep their digits, and equal targets have a mean that is theirs and no spread.
  bool look(const Item* items, std::size_t n) {
    origin = items[0].y;
    offset = 0;
    weight = 0;
    bool same = true;
    for (std::size_t i = 0; i < n; ++i) {
      weight += items[i].w;
      offset += items[i].w * (items[i].y - origin);
      same = same && items[i].y == origin;
    }
    offset /= weight;
    mean = origin + offset;
    spread = 0;
    for (std::size_t i = 0; i < n; ++i) spread += items[i].w * centered(items[i]) * centered(items[i]);
    sum = poisson ? weight * mean : 0;
    deviance = 0;
    if (poisson) {
      for (std::size_t i = 0; i < n; ++i) deviance += items[i].w * xlogy(items[i].y, items[i].y / mean);
    }
    return !same;
  }
  double centered(const Item& item) const { return (item.y - origin) - offset; }
  double impurity() const { return (poisson ? deviance : spread) / weight; }
  double weighted_impurity() const { return poisson ? deviance : spread; }
  double share(double decrease) const { return decrease; }
  void write(std::vector<double>& value) const { value.push_back(mean); }

  void add(const Item& item, std::uint8_t bin) {
    histogram[bin].weight += item.w;
    histogram[bin].sum += item.w * (poisson ? item.y : centered(item));
  }
  double bin_weight(std::size_t bin) const { return histogram[bin].weight; }
  bool one_order() const { return true; }
  std::size_t n_orders() const { return 1; }
  double order(std::size_t bin, std::size_t) const { return histogram[bin].sum / histogram[bin].weight; }
  void start() { left = 0; }
  void move_left(std::size_t bin) { left += histogram[bin].sum; }
  void take_back(std::size_t bin) { left -= histogram[bin].sum; }
  void clear(std::size_t bin) { histogram[bin] = {0, 0}; }
  // A side whose targets are all zero has no Poisson mean.
  bool allowed(double, double) const { return !poisson || (left > 0 && sum - left > sum * 1e-15); }
  double decrease(double L, double R) const {
    if (!poisson) return left * left * weight / (L * R);
    const double right = sum - left;
    return xlogy(left, left * weight / (L * sum)) + xlogy(right, right * weight / (R * sum));
  }
};

}  // namespace surefit::forest
