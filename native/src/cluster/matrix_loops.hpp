// Loops over rows of a half matrix of distances.
#pragma once

#include <cstddef>
#include <cstdint>

#include "surefit/simd.hpp"

namespace surefit::linkage {

struct MatrixLoops {
  // out[j] = the distance of x to point j of [first, n) in blocks (linkage_search.hpp).
  void (*euclidean)(const double* x, const double* points, std::size_t first, std::size_t n, std::size_t d, double* out);
  void (*manhattan)(const double* x, const double* points, std::size_t first, std::size_t n, std::size_t d, double* out);
  void (*half_squared)(const double* x, const double* points, std::size_t first, std::size_t n, std::size_t d,
                       double* out);
  // Row i of a half matrix, row[j] for j in (i, m): value[j], partner[j] := row[j], i where that is nearer; returns the
  // least of the row.
  double (*nearest)(const double* row, std::int64_t i, std::size_t m, double* value, std::int64_t* partner);
  // out[j] = a[j] + share·(b[j] − a[j]), or the larger of both, for j in [first, end).
  void (*between)(const double* a, const double* b, double share, std::size_t first, std::size_t end, double* out);
  void (*larger)(const double* a, const double* b, std::size_t first, std::size_t end, double* out);
};

}  // namespace surefit::linkage

SUREFIT_TABLES(surefit::linkage::MatrixLoops, matrix_loops)
