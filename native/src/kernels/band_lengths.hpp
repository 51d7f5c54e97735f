// The diagonals of V^T (L L^T)^-1 V for factors L that are narrow bands: the squared lengths of the columns of
// X = L^-1 V,
//
//   x_c = (v_c - sum_{c-b <= k < c} L_ck x_k) / L_cc        c = 0 ... n-1, each x_c a row of all columns.
//
// Columns are independent of one another and taken a few vectors at a time; each is solved for in the same order
// whatever its place, so the bits do not depend on the number of threads.
#pragma once

#include <cstddef>

#include "surefit/simd.hpp"

namespace surefit::band_lengths {

// `factors` matrices L, each as LAPACK has a lower band: L_{c+d, c} at l[c (width + 1) + d], 0 <= d <= width.
struct Factors {
  const double* l;
  std::size_t factors, n, width;
};

// v: n rows of m numbers; out: a row of m squared lengths for each factor.
void squared_lengths(const Factors& factors, const double* v, std::size_t m, int n_threads, double* out);

// Some unknowns of one run of columns. L comes in groups of rows, `width * rows + rows * rows` numbers each: what
// multiplies the unknowns before the group, one of these after the other, then the triangle inside the group by columns,
// with the inverses of its diagonal in the place of that.
struct Share {
  const double* packed;
  std::size_t width, groups;
  const double* v;  // v of the first unknown
  std::size_t stride, present;  // rows of v that are there; the unknowns behind them are zero
  double* x;        // `width` unknowns before the first one, then those solved for
  double* lengths;  // to which is added
};

struct Loops {
  std::size_t columns, rows;  // right sides of a share, unknowns of a group
  void (*solve)(const Share&);
};

}  // namespace surefit::band_lengths

SUREFIT_TABLES(band_lengths::Loops, band_loops)
