// Nodes counted by numbers; see forest_targets.hpp for what each kind offers.
#pragma once

#include <algorithm>

#include "tree/forest_sums.hpp"

namespace surefit::forest {

struct Numbers {
  // `term`: what the row adds to its bin, w (y − mean); with Poisson w y.
  struct Item {
    std::uint32_t row;
    std::int32_t unused;
    double w, y, term;
  };
  struct Cell {
    double weight, sum;
  };

  bool poisson, whole = false;
  int y_exponent;
  std::vector<Cell> histogram;
  double weight = 0, origin = 0, offset = 0, mean = 0, spread = 0, left = 0, sum = 0, deviance = 0;
  double low = 0, high = 0;

  Numbers(const Examples& e, const Rules& r)
      : poisson(r.criterion == Criterion::poisson), y_exponent(e.y_exponent), histogram(256) {}

  static Item item(const Examples& e, std::uint32_t i, double w) { return {i, 0, w, e.y[i], 0}; }
  void start_tree(const Bag& bag) { whole = bag.whole; }

  double weigh(const Item* items, std::size_t n) const {
    double all = 0;
    for (std::size_t i = 0; i < n; ++i) all += items[i].w;
    return all;
  }

  bool look(Item* items, std::size_t n) {
    if (!whole || n <= kWide) return look_in_order(items, n);
    const bool mixed = take(totals(items, n));
    take_rest(terms(items, n));
    return mixed;
  }

  // The mean is kept as origin + offset, the first target and what is beyond it: differences of targets that are large
  // and close to each other keep their digits, and equal targets have a mean that is theirs and no spread.
  bool look_in_order(Item* items, std::size_t n) {
    origin = items[0].y;
    offset = 0;
    if (n == 1 && !poisson) {
      weight = items[0].w;
      mean = origin;
      spread = 0;
      return false;
    }
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
    for (std::size_t i = 0; i < n; ++i) {
      Item& item = items[i];
      const double c = centered(item);
      spread += item.w * c * c;
      item.term = item.w * (poisson ? item.y : c);
    }
    sum = poisson ? weight * mean : 0;
    deviance = 0;
    if (poisson) {
      for (std::size_t i = 0; i < n; ++i) deviance += items[i].w * xlogy(items[i].y, items[i].y / mean);
    }
    return !same;
  }

  // ——— sums without an order, for nodes of more than kWide examples ———

  Totals totals(const Item* items, std::size_t n) const {
    Totals sums;
    sums.weights.assign(1, 0.0);
    const double scale = per_unit(y_exponent);
    for (std::size_t i = 0; i < n; ++i) {
      sums.weights[0] += items[i].w;
      sums.sum += static_cast<std::int64_t>(items[i].w) * fixed(items[i].y, scale);
      sums.low = std::min(sums.low, items[i].y);
      sums.high = std::max(sums.high, items[i].y);
    }
    return sums;
  }

  // Of all rows of the node. The lowest target is the origin.
  bool take(const Totals& sums) {
    weight = sums.weights[0];
    low = origin = sums.low;
    high = sums.high;
    const double scale = per_unit(y_exponent);
    const Whole beyond = sums.sum - static_cast<std::int64_t>(weight) * fixed(low, scale);
    offset = static_cast<double>(beyond) / weight / scale;
    mean = std::clamp(static_cast<double>(sums.sum) / weight / scale, low, high);
    return low < high;
  }

  Rest terms(Item* items, std::size_t n) const {
    Rest rest;
    const double most = poisson ? high : high - low;
    const double by_weight = rounder(exponent_above(weight * most)), scale = rest_scale();
    for (std::size_t i = 0; i < n; ++i) {
      Item& item = items[i];
      const double c = centered(item);
      item.term = rounded(item.w * (poisson ? item.y : c), by_weight);
      const double own = poisson ? xlogy(item.y, item.y / mean) : c * c;
      rest.spread += static_cast<std::int64_t>(item.w) * fixed(own, scale);
      rest.sum += item.term;
    }
    return rest;
  }
  // Squares are below the square of the range; |y log(y / mean)| is below 2¹¹ times the largest y.
  double rest_scale() const {
    return poisson ? per_unit(exponent_above(high) + 11) : per_unit(std::max(2 * exponent_above(high - low), -900));
  }
  void take_rest(const Rest& rest) {
    const double found = low < high ? static_cast<double>(rest.spread) / rest_scale() : 0;
    spread = poisson ? 0 : found;
    deviance = poisson ? found : 0;
    sum = poisson ? rest.sum : 0;
  }

  bool close_to_exact() const { return !poisson; }
  double centered(const Item& item) const { return (item.y - origin) - offset; }
  double impurity() const { return (poisson ? deviance : spread) / weight; }
  double weighted_impurity() const { return poisson ? deviance : spread; }
  double share(double decrease) const { return decrease; }
  void write(std::vector<double>& value) const { value.push_back(mean); }

  void add(const Item& item, std::uint8_t bin) {
    histogram[bin].weight += item.w;
    histogram[bin].sum += item.term;
  }
  void scale(std::size_t) {}
  std::size_t n_values() const { return 1; }
  std::size_t width() const { return 2; }
  void write_cells(double* cells) const {
    for (const Cell& cell : histogram) *cells++ = cell.weight, *cells++ = cell.sum;
  }
  void read_cells(const double* cells) {
    for (Cell& cell : histogram) cell = {cells[0], cells[1]}, cells += 2;
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
