// Weight, mean and products of deviations of weighted rows z = [x, y]: Σw, Σwz / Σw, Σw (z - mean)(z - mean)ᵀ.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit {

// Row-major; y has n_targets columns (null when there are none), w may be null (every row counts once). Rows of weight
// zero are not read.
template <class T>
struct DenseRows {
  const T* x;
  std::size_t n_rows, n_features;
  const double* y;
  std::size_t n_targets;
  const double* w;
};

template <class T, class Index>
struct SparseRows {
  const T* data;
  const Index* indices;
  const Index* indptr;  // n_rows + 1
  std::size_t n_stored; // length of data and of indices
  std::size_t n_rows, n_features;
  const double* y;
  std::size_t n_targets;
  const double* w;
};

// mean: p = n_features + n_targets numbers, low: what rounding took from them, products: p × p, all filled. Returns the
// weight. The bits depend on the rows and leaf_rows, not on n_threads.
template <class T>
double moments(const DenseRows<T>& rows, std::size_t leaf_rows, int n_threads, double* mean, double* low,
               double* products);

// The same from the stored entries. Throws std::invalid_argument for indices that do not fit.
template <class T, class Index>
double moments(const SparseRows<T, Index>& rows, std::size_t leaf_rows, int n_threads, double* mean, double* low,
               double* products);

}  // namespace surefit
