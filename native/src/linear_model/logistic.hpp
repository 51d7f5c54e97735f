// Loss and gradient of logistic regression over dense rows, in the fixed tree over leaves.
#pragma once

#include <cstddef>

#include "logistic_leaf.hpp"

namespace surefit::logistic {

template <class T>
struct Problem {
  DenseRows<T> x;
  const double* y;  // codes 0 … C-1; not read by row_curvature
  const double* w;  // or null
  const double* coef;       // m × d
  const double* intercept;  // m
  Shape shape;              // m = 1 for two classes, else the number of classes
};

// sums: shape.size() doubles laid out as Shape says, the curvature filled on both sides. `single`: products of
// float rows in single precision (m > 1 only).
template <class T>
void pass(const Problem<T>& problem, bool single, std::size_t leaf_rows, int n_threads, double* sums);

// w p (1 - p) of every row, for two classes.
template <class T>
void row_curvature(const Problem<T>& problem, std::size_t leaf_rows, int n_threads, double* curvature);

}  // namespace surefit::logistic
