// Which rows are core: weights of neighbors are added up until there are enough.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "dbscan_groups.hpp"
#include "surefit/parallel.hpp"

namespace surefit::dbscan {

// A sum of weights in twice the working precision: its rounded value does not depend on the order of the rows.
struct Sum {
  double high = 0, low = 0;

  void add(double v) {
    const double s = high + v, back = s - high;
    low += (high - (s - back)) + (v - back);
    high = s;
  }
  void add(const Sum& other) {
    add(other.high);
    low += other.low;
  }
  double value() const { return high + low; }
};

// What the passes know of the groups. After `core_rows` each group has its core rows first.
struct State {
  Groups groups;
  Near near{};
  double min_samples = 1;
  bool weighted = false;
  bool negative = false;           // some weight is: then no partial sum decides anything
  std::vector<double> w;           // by position, if weighted
  std::vector<Sum> total;          // by group, if weighted
  std::vector<Position> n_core;    // by group

  Sum weight_of(std::size_t g) const { return weighted ? total[g] : Sum{static_cast<double>(groups.rows_of(g)), 0}; }
  Position first(std::size_t g) const { return groups.start[g]; }
};

// Rows of one group whose sums are still too small, and the sums. One for each thread.
struct Counting {
  std::vector<Sum> sum;          // by row of the group
  std::vector<Position> open;    // rows that are not decided
  std::vector<double> point;     // d coordinates of each row
};

// Adds the weights of the rows of b that are near the k-th row of the group being counted.
inline void add_near(const State& s, std::size_t b, const double* q, Sum& sum) {
  const Groups& g = s.groups;
  const std::size_t n = g.rows_of(b);
  if (!s.weighted) {
    const auto missing = static_cast<std::size_t>(std::max(1.0, std::ceil(s.min_samples - sum.high)));
    sum.high += static_cast<double>(s.near.count(g.block(b), n, q, g.d, g.limit, missing));
    return;
  }
  for (std::size_t k = s.near.next(g.block(b), 0, n, q, g.d, g.limit); k < n;
       k = s.near.next(g.block(b), k + 1, n, q, g.d, g.limit)) {
    sum.add(s.w[s.first(b) + k]);
  }
}

// Rows of a group that are worth a look at its box before each of them is tried.
constexpr std::size_t kBoxPays = 8;

inline void add_group(const State& s, std::size_t a, std::size_t b, Counting& c) {
  const Groups& g = s.groups;
  if (nearest(g, a, b) > g.limit) return;
  const bool all = farthest(g, a, b) <= g.limit;
  std::size_t kept = 0;
  for (const Position k : c.open) {
    const double* q = c.point.data() + k * g.d;
    const bool look = !all && g.rows_of(b) > kBoxPays;
    if (!look || nearest(g.norm, g.d, q, q, g.low(b), g.high(b)) <= g.limit) {
      if (all || (look && farthest(g.norm, g.d, q, q, g.low(b), g.high(b)) <= g.limit)) {
        c.sum[k].add(s.weight_of(b));
      } else {
        add_near(s, b, q, c.sum[k]);
      }
    }
    if (s.negative || c.sum[k].value() < s.min_samples) c.open[kept++] = k;
  }
  c.open.resize(kept);
}

// core[k] for each row k of group a; around(a, visit) visits the groups that may hold neighbors.
template <class Around>
void count_group(const State& s, std::size_t a, Counting& c, std::uint8_t* core, Around&& around) {
  const Groups& g = s.groups;
  const std::size_t n = g.rows_of(a);
  const bool tight = g.tight[a];
  if (tight && !s.negative && s.weight_of(a).value() >= s.min_samples) {
    std::fill(core, core + n, std::uint8_t{1});
    return;
  }
  c.sum.assign(n, tight ? s.weight_of(a) : Sum{});
  c.point.resize(n * g.d);
  c.open.clear();
  const Block block = g.block(a);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t j = 0; j < g.d; ++j) c.point[k * g.d + j] = block.x[j * n + k];
    if (!tight) add_near(s, a, c.point.data() + k * g.d, c.sum[k]);
    if (s.negative || c.sum[k].value() < s.min_samples) c.open.push_back(static_cast<Position>(k));
  }
  if (!c.open.empty()) {
    around(a, [&](std::size_t b) {
      add_group(s, a, b, c);
      return !c.open.empty();
    });
  }
  for (std::size_t k = 0; k < n; ++k) core[k] = c.sum[k].value() >= s.min_samples;
}

}  // namespace surefit::dbscan
