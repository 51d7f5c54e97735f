// What a histogram adds up, as integers: so a sum has no rounding, and no order.
//
// A row has a gradient g, a second derivative h and a weight c, which counts both. g and h are rounded once to integers
// times a power of two (30 bits of the largest g, up to 31 of the largest h), then multiplied by c; small whole weights
// multiply exactly, so that a weight of two is a row given twice. A cell is the sum over the rows of one bin, in lanes of
// 64 bits that vector additions update:
//
//   Same      c = 1 and h = 1 (squared error …)       g | count
//   Counted   c = 1, at most 2^22 rows                g | h · 2^shift + count
//   Three     anything else                           c g | c h | c | 0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "surefit/simd.hpp"

namespace surefit::histogram {

constexpr std::size_t kBins = 256;    // cells of one feature
constexpr std::size_t kMissing = 255;

typedef long long Two __attribute__((vector_size(16)));
struct Four {
  Two low, high;
  SUREFIT_INLINE Four& operator+=(const Four& o) {
    low += o.low;
    high += o.high;
    return *this;
  }
  SUREFIT_INLINE Four& operator-=(const Four& o) {
    low -= o.low;
    high -= o.high;
    return *this;
  }
  SUREFIT_INLINE friend Four operator-(Four a, const Four& b) { return a -= b; }
};

// The number that one unit of the integers stands for.
struct Grid {
  double g = 1, h = 1, c = 1;
  int shift = 0;
};

struct Sums {
  double g, h, c;
};

struct Pair {
  std::int32_t g;
  std::uint32_t h;
};

struct Same {
  using Row = Pair;
  using Cell = Two;
  SUREFIT_INLINE static Cell cell(Row r, int) { return Cell{r.g, static_cast<long long>(r.h)}; }
  SUREFIT_INLINE static long long count(Cell s, int) { return s[1]; }
  SUREFIT_INLINE static Sums sums(Cell s, const Grid& grid) {
    const double c = static_cast<double>(s[1]) * grid.c;
    return {static_cast<double>(s[0]) * grid.g, c, c};
  }
};

struct Counted {
  using Row = Pair;
  using Cell = Two;
  SUREFIT_INLINE static Cell cell(Row r, int shift) { return Cell{r.g, (static_cast<long long>(r.h) << shift) + 1}; }
  SUREFIT_INLINE static long long count(Cell s, int shift) { return s[1] & ((1LL << shift) - 1); }
  SUREFIT_INLINE static Sums sums(Cell s, const Grid& grid) {
    return {static_cast<double>(s[0]) * grid.g, static_cast<double>(s[1] >> grid.shift) * grid.h,
            static_cast<double>(count(s, grid.shift))};
  }
};

struct Three {
  using Row = Four;
  using Cell = Four;
  SUREFIT_INLINE static const Cell& cell(const Row& r, int) { return r; }
  SUREFIT_INLINE static long long count(const Cell& s, int) { return s.high[0]; }
  SUREFIT_INLINE static Sums sums(const Cell& s, const Grid& grid) {
    return {static_cast<double>(s.low[0]) * grid.g, static_cast<double>(s.low[1]) * grid.h,
            static_cast<double>(s.high[0]) * grid.c};
  }
};

}  // namespace surefit::histogram
