// Sums that keep what rounding takes.
#pragma once

#include "surefit/simd.hpp"

namespace surefit {

// a := a + b rounded; returns what rounding took, exactly (Knuth). No product: nothing for the compiler to fuse.
SUREFIT_INLINE double two_sum(double& a, double b) {
  const double s = a + b, v = s - a;
  const double error = (a - (s - v)) + (b - v);
  a = s;
  return error;
}

// Chan's merge of two means kept as mean + low, low what rounding took: the left one moves towards the right one by the
// share of the weight that is on the right. Returns the step from left to right.
SUREFIT_INLINE double merge_mean(double& mean, double& low, double right_mean, double right_low, double share) {
  const double step = (right_mean - mean) + (right_low - low);
  low = two_sum(mean, low + step * share);
  return step;
}

}  // namespace surefit
