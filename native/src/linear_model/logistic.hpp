// Loss and gradient of logistic regression over dense rows, in the fixed tree over leaves.
#pragma once

#include <cstddef>

#include "logistic_leaf.hpp"

namespace surefit {

template <class T>
struct LogisticRows {
  const T* x;
  const double* y;  // codes 0 … C-1; not read by logistic_curvature
  const double* w;  // or null
  std::size_t n_rows;
  const double* coef;       // m × d
  const double* intercept;  // m
  LogisticShape shape;      // m = 1 for two classes, else the number of classes
};

// sums: shape.size() doubles laid out as LogisticShape says, the curvature filled on both sides. `single`: products of
// float rows in single precision (m > 1 only).
template <class T>
void logistic_pass(const LogisticRows<T>& rows, bool single, std::size_t leaf_rows, int n_threads, double* sums);

// w p (1 - p) of every row, for two classes.
template <class T>
void logistic_curvature(const LogisticRows<T>& rows, std::size_t leaf_rows, int n_threads, double* curvature);

}  // namespace surefit
