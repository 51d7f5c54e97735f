// Coordinate descent on the quadratic model of a loss over sparse columns, with an L1 penalty: the inner loop of
// newGLMNET (Yuan, Ho and Lin, 2012).
#pragma once

#include <cstddef>
#include <cstdint>

#include "surefit/rows.hpp"

namespace surefit::lasso {

//   q(v) = g·v + ½ Σ_i D_i (x̃_i·v + v_b)² + ½ Σ_j ρ_j v_j² + Σ_j t_j |u_j + v_j| ,      x̃_ij = s_j (x_ij − c_j)
//
// over some columns of a matrix given by columns. Vectors have one entry for each of them, and with `intercept` one more
// at the end, for v_b.
template <class T, class Index>
struct Model {
  CsrRows<T, Index> columns;  // n columns of d rows: the rows of the transpose
  const double* curvature;  // D, one for each row
  const std::int64_t* chosen;
  std::size_t n_chosen;
  bool intercept;
  const double *scale, *center;                // s, c (not of the intercept)
  const double *gradient, *ridge, *threshold;  // g, ρ, t > 0 (the intercept's may be 0)
  const double* start;                         // u
};

// Changes v until no entry breaks its condition of a minimum by more than `tol` of its threshold, or for `most` sweeps.
// Returns the largest such breach that the last sweep met.
template <class T, class Index>
double descend(const Model<T, Index>& model, double tol, std::size_t most, double* v);

}  // namespace surefit::lasso
