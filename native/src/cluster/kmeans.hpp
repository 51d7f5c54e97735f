// k-means over a block of rows: the Lloyd pass, and k-means++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cluster/kmeans_leaf.hpp"
#include "surefit/aligned.hpp"

namespace surefit::kmeans {

// What a resident block keeps between passes so that most rows need not be scored again. Never changes a result.
struct Scratch {
  std::vector<std::int32_t> label;
  std::vector<unsigned char> upper, lower;  // n values of the rows' type
  std::vector<double> centers, shift;       // for which the bounds hold
  double scale = 0, mean_sq_dist = 0;
  std::size_t item_size = 0;
  bool seen = false, valid = false;
};

struct Statistic {
  std::vector<double> weight;  // (k,)
  std::vector<double> sums;    // (k, d): of w (x − c)·scale for dense rows, of w x·scale for CSR
  double inertia = 0;          // scaled by scale²
  std::uint64_t fingerprint = 0;
};

template <class T>
struct Problem {
  const double* w;        // (n,) or nullptr
  const double* centers;  // (k, d)
  std::size_t k;
  const T* shift;  // (d,) or nullptr; not for CSR
  double scale;    // a power of two
  std::uint64_t first_row;
  std::size_t leaf_rows;
  int n_threads;
};

// Labels and squared distances to the own center (times scale²) are written where the pointers are not null.
template <class X>
void lloyd_pass(const X& rows, const Problem<typename X::Scalar>& problem, Scratch* scratch, std::int32_t* label,
                double* sq_dist, Statistic* out);

// Rows with padded copies of the last ones; `tail` must outlive the result.
template <class T>
PaddedRows<T> padded_rows(const DenseRows<T>& rows, Aligned<T>& tail);

enum class Seeding { plus_plus, farthest };

struct SeedProblem {
  const std::int64_t* order;  // (n,) the rows in canonical order
  std::size_t n;
  const double* w;            // (n,) in that order, or nullptr
  std::size_t k, n_trials;
  const double* uniform;      // 1 + (k−1)·n_trials numbers in [0, 1)
  double scale;
  Seeding seeding;
  std::size_t leaf_rows;
  int n_threads;
};

// k-means++ (or farthest points). chosen[c] is a position in `order`; returns the potential Σ w·min‖x − c‖² (times
// scale²).
template <class X>
double seed(const X& rows, const SeedProblem& problem, std::int64_t* chosen);

}  // namespace surefit::kmeans
