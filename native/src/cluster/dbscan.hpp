// DBSCAN, exactly, in memory linear in the number of rows.
//
//   neighbors of a row: all rows (itself too) at a distance ≤ eps;
//   core row: the weights of its neighbors sum to at least min_samples;
//   cluster: core rows that are joined by chains of neighbors;
//   border row: not core, neighbor of a core row;   noise: all others.
//
// Clusters are numbered by their lowest core row; a border row belongs to the lowest cluster with a core row near it.
//
// The distance is decided by one formula in double precision: with t_j = x_j − y_j, in the order of the columns,
// Σ t_j² ≤ eps·eps, Σ |t_j| ≤ eps or max |t_j| ≤ eps, after coordinates and eps were multiplied by the power of two
// that brings eps near one (which changes no digit). Rounding is monotone, so the same formula on the nearest and
// farthest corners of two boxes bounds it from below and above, digit for digit: a box decides as its rows would.
#pragma once

#include <cstddef>
#include <cstdint>

#include "surefit/rows.hpp"

namespace surefit::dbscan {

enum class Norm { manhattan, euclidean, chebyshev };

struct Problem {
  Norm norm;
  double eps;
  bool squared;  // eps bounds the sum of squares itself (Euclidean only)
  double min_samples;
  const double* w;  // null: every row counts once; negative weights are allowed
  int n_threads;
  bool grid;  // cells of a grid where the shape allows it; else the leaves of a tree
};

// labels[i]: cluster of row i, −1 for noise; core[i]: 1 for core rows. Returns the number of clusters.
template <class T>
std::size_t cluster(const DenseRows<T>& x, const Problem& problem, std::int64_t* labels, std::uint8_t* core);

}  // namespace surefit::dbscan
