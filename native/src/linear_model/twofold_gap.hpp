// How far coefficients are from the least-squares answer, in twice the working precision:
//
//   r = (y - c_y) s_y - b - sum_j a_j w_j     a_j = (x_j - c_j) s_j     g_j = sum omega a_j r     g_0 = sum omega r
//
// s are powers of two, so scaling rounds nothing; a number is an unevaluated sum high + low of two doubles. Eight rows
// run side by side, whatever the vector level: products are split by Dekker, not fused, and all levels give the same bits.
#pragma once

#include <cstddef>

#include "surefit/rows.hpp"

namespace surefit::least_squares {

constexpr std::size_t kGapLanes = 8;

struct GapProblem {
  DenseRows<double> x;
  const double* y;              // n × targets
  const double* omega;          // or null
  std::size_t targets;
  const double* center;         // d + targets
  const double* scale;          // d + targets
  const double *w_high, *w_low; // targets × d
  const double *b_high, *b_low; // targets
};

struct GapSums {
  double *g_high, *g_low;       // targets × d
  double *g0_high, *g0_low;     // targets
  double* residual_ss;          // targets: sum omega r²
  double* work;                 // gap_work(d) numbers
};

// Deviations of eight rows, and sums of eight lanes: high and low of each.
SUREFIT_INLINE constexpr std::size_t gap_work(std::size_t d) { return 4 * kGapLanes * (d + 1); }

struct GapLoops {
  void (*gap)(const GapProblem&, const GapSums&);
};

}  // namespace surefit::least_squares

SUREFIT_TABLES(least_squares::GapLoops, gap_loops)
