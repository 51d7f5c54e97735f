// The vector part of logistic regression: what logistic_leaf.cpp provides for each vector level.
#pragma once

#include <cstddef>

namespace surefit {

// Where a leaf's sums go, in one run of doubles: loss, spread, margin, then gradient_b (m), curvature (m × m, the upper
// half; nothing where it is not wanted), gradient (m × d).
struct LogisticShape {
  std::size_t d, m;
  bool curved;
  std::size_t gradient_b() const { return 3; }
  std::size_t curvature() const { return 3 + m; }
  std::size_t gradient() const { return 3 + m + (curved ? m * m : 0); }
  std::size_t size() const { return gradient() + m * d; }
};

template <class T>
struct LogisticLeaf {
  const T* x;               // n_rows × d, no gaps
  const double* y;          // codes of the classes
  const double* w;          // null when every row counts once
  std::size_t n_rows;
  LogisticShape shape;
  const void* coef;         // m rows of the arithmetic's type, `padded` apart, zeros behind column d
  const double* intercept;
  std::size_t padded;
  void* scores;             // chunk_rows × m of the arithmetic's type
  std::size_t chunk_rows;
  double* sums;             // shape.size(), zeros but for margin = infinity; null when only row_curvature is wanted
  double* row_curvature;    // w p (1 - p) of every row, two classes only; or null
};

// Rows whose features stay in the second-level cache while they are used twice.
inline std::size_t logistic_chunk_rows(std::size_t d, std::size_t bytes) {
  const std::size_t rows = 196608 / (d * bytes + 1);
  return rows < 16 ? 16 : rows > 512 ? 512 : rows / 4 * 4;
}

struct LogisticLoops {
  std::size_t single_lanes, double_lanes;
  void (*single_f32)(const LogisticLeaf<float>&);  // single precision products, sums of chunks in double
  void (*double_f32)(const LogisticLeaf<float>&);
  void (*double_f64)(const LogisticLeaf<double>&);
};

namespace baseline { extern const LogisticLoops logistic_loops; }
#ifdef SUREFIT_X86_LEVELS
namespace v3 { extern const LogisticLoops logistic_loops; }
namespace v4 { extern const LogisticLoops logistic_loops; }
#endif

}  // namespace surefit
