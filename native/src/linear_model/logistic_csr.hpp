// Loss and slopes of logistic regression for two classes over CSR rows, in the fixed tree over leaves.
#pragma once

#include <cstddef>

#include "surefit/rows.hpp"

namespace surefit::logistic {

template <class T, class Index>
struct SparseProblem {
  CsrRows<T, Index> x;
  const double* y;  // 0 or 1
  const double* w;  // or null
  const double* coef;
  double intercept;
};

struct RowSums {
  double loss = 0;
  double spread = 0;  // the largest |z|
  double margin = __builtin_inf();  // the smallest z of class 1, −z of class 0
  double slope = 0;   // Σ w (p − y)
  double curvature = 0;  // Σ w p (1 − p)
};

// z = x·coef + intercept of every row while its numbers are read; slopes[i] = w (p − y). Column numbers are looked at
// before they are used. Throws std::invalid_argument for a column or a class that does not exist.
template <class T, class Index>
RowSums sparse_rows(const SparseProblem<T, Index>& problem, std::size_t leaf_rows, int n_threads, double* slopes);

// The same with gradient[j] = Σ w (p − y) x_j from the same read of the rows: one sum of all columns for each leaf, worth
// its memory where these are few beside the numbers of a leaf. The bits are those of row_products::column_sums.
template <class T, class Index>
RowSums sparse_pass(const SparseProblem<T, Index>& problem, std::size_t leaf_rows, int n_threads, double* gradient);

}  // namespace surefit::logistic
