// The vector part of logistic regression: what logistic_leaf.cpp provides for each vector level.
#pragma once

#include <cstddef>

#include "surefit/rows.hpp"

namespace surefit::logistic {

// Where a leaf's sums go, in one run of doubles: loss, spread, margin, then gradient_b (m), curvature (m × m, the upper
// half; nothing where it is not wanted), gradient (m × d).
struct Shape {
  std::size_t d, m;
  bool curved;
  SUREFIT_INLINE std::size_t gradient_b() const { return 3; }
  SUREFIT_INLINE std::size_t curvature() const { return 3 + m; }
  SUREFIT_INLINE std::size_t gradient() const { return 3 + m + (curved ? m * m : 0); }
  SUREFIT_INLINE std::size_t size() const { return gradient() + m * d; }
};

template <class T>
struct Leaf {
  DenseRows<T> x;
  const double* y;          // codes of the classes
  const double* w;          // null when every row counts once
  Shape shape;
  const void* coef;         // m rows of the arithmetic's type, `padded` apart, zeros behind column d
  const double* intercept;
  std::size_t padded;
  void* scores;             // chunk_rows × m of the arithmetic's type
  std::size_t chunk_rows;
  double* sums;             // shape.size(), zeros but for margin = infinity; null when only row_curvature is wanted
  double* row_curvature;    // w p (1 - p) of every row, two classes only; or null
};

struct Loops {
  std::size_t single_lanes, double_lanes;
  void (*single_f32)(const Leaf<float>&);  // single precision products, sums of chunks in double
  void (*double_f32)(const Leaf<float>&);
  void (*double_f64)(const Leaf<double>&);
};

}  // namespace surefit::logistic

SUREFIT_TABLES(logistic::Loops, logistic_loops)
