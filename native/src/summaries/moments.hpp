// Weight, mean and products of deviations of weighted rows z = [x, y]: Σw, Σwz / Σw, Σw (z - mean)(z - mean)ᵀ.
#pragma once

#include <cstddef>

#include "surefit/rows.hpp"

namespace surefit::moments {

// y has n_targets columns, row-major (null when there are none); w may be null (every row counts once). Rows of weight
// zero are not read.
template <class X>
struct TargetRows {
  X x;
  const double* y;
  std::size_t n_targets;
  const double* w;
};

// mean: p = n_features + n_targets numbers, low: what rounding took from them, products: p × p, all filled. Returns the
// weight. The bits depend on the rows and leaf_rows, not on n_threads.
template <class T>
double fold(const TargetRows<DenseRows<T>>& rows, std::size_t leaf_rows, int n_threads, double* mean, double* low,
            double* products);
template <class T, class Index>
double fold(const TargetRows<CsrRows<T, Index>>& rows, std::size_t leaf_rows, int n_threads, double* mean, double* low,
            double* products);

}  // namespace surefit::moments
