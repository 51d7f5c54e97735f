// Rows in groups of near rows: the cells of a grid, or the leaves of a tree.
//
// Positions 0 … n−1 number the rows group after group; group g has the positions start[g] … start[g+1]−1. In a *tight*
// group any two rows are neighbors (the farthest corners of its box are), so its core rows are in one cluster.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dbscan_distance.hpp"
#include "dbscan_near.hpp"

namespace surefit::dbscan {

using Position = std::uint32_t;

struct Groups {
  std::size_t n = 0, d = 0;
  Norm norm = Norm::euclidean;
  double limit = 0;
  std::vector<Position> row;    // of each position: its row
  std::vector<Position> start;  // groups + 1
  std::vector<double> x;        // coordinates times the power of two, each group a block of its own
  std::vector<double> box;      // of each group: d lower and d upper corners
  std::vector<std::uint8_t> tight;

  std::size_t size() const { return start.size() - 1; }
  std::size_t rows_of(std::size_t g) const { return start[g + 1] - start[g]; }
  Block block(std::size_t g) const { return {x.data() + start[g] * d, rows_of(g)}; }
  const double* low(std::size_t g) const { return box.data() + 2 * d * g; }
  const double* high(std::size_t g) const { return low(g) + d; }
};

// Bounds of the formula over all pairs of two boxes (a point is a box whose corners agree).
inline double nearest(Norm norm, std::size_t d, const double* low_a, const double* high_a, const double* low_b,
                      const double* high_b) {
  double sum = 0;
  for (std::size_t j = 0; j < d; ++j) {
    const double gap = std::max(low_b[j] - high_a[j], low_a[j] - high_b[j]);
    sum = plus(norm, sum, gap > 0 ? gap : 0.0);
  }
  return sum;
}

inline double farthest(Norm norm, std::size_t d, const double* low_a, const double* high_a, const double* low_b,
                       const double* high_b) {
  double sum = 0;
  for (std::size_t j = 0; j < d; ++j) sum = plus(norm, sum, std::max(high_b[j] - low_a[j], high_a[j] - low_b[j]));
  return sum;
}

inline double nearest(const Groups& g, std::size_t a, std::size_t b) {
  return nearest(g.norm, g.d, g.low(a), g.high(a), g.low(b), g.high(b));
}

inline double farthest(const Groups& g, std::size_t a, std::size_t b) {
  return farthest(g.norm, g.d, g.low(a), g.high(a), g.low(b), g.high(b));
}

// The power of two that brings eps near one, unless that would send a coordinate to infinity.
double scale_of(double eps, double largest);

// Fills x, box and tight from row, start, n, d, norm and limit.
template <class T>
void fill_blocks(const DenseRows<T>& x, double scale, int n_threads, Groups& groups);

// A run of groups is one task: about 64 tasks, whatever the threads.
inline std::size_t groups_per_task(std::size_t n_groups) {
  return std::clamp<std::size_t>(n_groups / 64, 1, 1024);
}

}  // namespace surefit::dbscan
