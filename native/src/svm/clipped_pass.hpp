// A pass of hinge losses over dense rows, in the fixed tree over leaves.
//
//   s = 1 − σ (x·w + b)        r = min(max(shift + slope · s, 0), top)        sums = Σ r σ (x, 1)
//
// slope = 2c, shift = 0, top = ∞: r is minus the derivative of the squared hinge loss c max(0, s)². With shift a point
// of the dual, top = c: r is the next point of the dual of the hinge loss c max(0, s).
#pragma once

#include <cstddef>

#include "clipped_leaf.hpp"

namespace surefit::clipped {

template <class T>
struct Problem {
  DenseRows<T> x;
  const double *sign, *shift, *slope, *top;  // shift and top may be null
  const double* coef;                        // m × d
  const double* intercept;                   // m
  std::size_t m;                             // 1, or 2: the slack at an earlier point is wanted too
};

// slack: n × m, residual: n, sums: d + 1.
template <class T>
void pass(const Problem<T>& problem, std::size_t leaf_rows, int n_threads, double* slack, double* residual,
          double* sums);

}  // namespace surefit::clipped
