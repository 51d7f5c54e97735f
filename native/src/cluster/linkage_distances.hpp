// Distances of points, blocks of points and boxes, for the searches of linkage_search.cpp: sums over coordinates in vectors,
// rounded in one order whatever the vector level. Included inside one level's source only.
#pragma once

#include "cluster/linkage_search.hpp"
#include "simd/lane_bits.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using linkage::kBlock;

constexpr double kInfinity = __builtin_inf();
constexpr std::size_t kStretch = 16;  // coordinates between two looks whether a block is too far

// The numbers of one block, in as many vectors as it takes.
constexpr std::size_t kParts = kBlock * sizeof(double) / kVectorBytes;
struct Lanes {
  Vec<double> part[kParts];
  double operator[](std::size_t l) const { return part[l / kLanes<double>][l % kLanes<double>]; }
};

template <class F>
SUREFIT_INLINE Lanes each(F&& f) {
  Lanes out;
  for (std::size_t p = 0; p < kParts; ++p) out.part[p] = f(p);
  return out;
}
SUREFIT_INLINE Lanes lanes_at(const double* p) {
  return each([p](std::size_t i) { return load(p + i * kLanes<double>); });
}
SUREFIT_INLINE Vec<double> positive(Vec<double> x) { return x > 0 ? x : Vec<double>{}; }
SUREFIT_INLINE Vec<double> larger(Vec<double> x, Vec<double> y) { return x > y ? x : y; }

// Bit l: number l is at most `bound`.
SUREFIT_INLINE std::uint32_t within(const Lanes& x, double bound) {
  const Vec<double> limit = splat(bound);
  std::uint32_t bits = 0;
  for (std::size_t p = 0; p < kParts; ++p) bits |= bits_of<double>(x.part[p] <= limit) << (p * kLanes<double>);
  return bits;
}

// The bits of the first lanes, all from kBlock on.
SUREFIT_INLINE std::uint32_t lanes_below(std::size_t count) { return count < kBlock ? (1u << count) - 1 : ~0u; }

struct Squared {
  static constexpr bool weighted = false;
  template <class V>
  SUREFIT_INLINE static V add(V sum, V x) {
    return sum + x * x;
  }
};
struct Absolute {
  static constexpr bool weighted = false;
  template <class V>
  SUREFIT_INLINE static V add(V sum, V x) {
    return sum + (x < 0 ? -x : x);
  }
};
struct Ward {
  static constexpr bool weighted = true;
  template <class V>
  SUREFIT_INLINE static V add(V sum, V x) {
    return sum + x * x;
  }
};

inline double ward_weight(double a, double b) { return 2 * (a * b) / (a + b); }

typedef double Few __attribute__((vector_size((kVectorBytes < 32 ? kVectorBytes : 32))));
constexpr std::size_t kFew = sizeof(Few) / sizeof(double);

SUREFIT_INLINE Few few_at(const double* p) {
  Few x;
  std::memcpy(&x, p, sizeof x);
  return x;
}
SUREFIT_INLINE double total(const Few& x) {
  double sum = 0;
  for (std::size_t l = 0; l < kFew; ++l) sum += x[l];
  return sum;
}

// The least sum over pairs of points of two boxes. It may round above that of a pair by a few units: shrink_ allows for it.
template <class Metric>
SUREFIT_INLINE double box_sum(const double* a, const double* b, std::size_t wide) {
  Few sum{};
  for (std::size_t k = 0; k < wide; k += kFew) {
    const Few below = few_at(a + k) - few_at(b + wide + k), above = few_at(b + k) - few_at(a + wide + k);
    const Few gap = below > above ? below : above;
    sum = Metric::add(sum, gap > 0 ? gap : Few{});
  }
  return total(sum);
}

// The least sum over the points of a box; the same rounding.
template <class Metric>
SUREFIT_INLINE double point_box_sum(const double* x, const double* box, std::size_t wide) {
  Few sum{};
  for (std::size_t k = 0; k < wide; k += kFew) {
    const Few own = few_at(x + k), below = few_at(box + k) - own, above = own - few_at(box + wide + k);
    const Few gap = below > above ? below : above;
    sum = Metric::add(sum, gap > 0 ? gap : Few{});
  }
  return total(sum);
}

// Sums of one point to the points of a block; stops once all are beyond `bound`.
template <class Metric>
SUREFIT_INLINE Lanes block_sums(const double* x, const double* block, std::size_t d, double bound) {
  Lanes sum{};
  for (std::size_t k = 0; k < d;) {
    const std::size_t end = d - k > 2 * kStretch ? k + kStretch : d;
    for (; k < end; ++k) {
      const Vec<double> own = splat(x[k]);
      const Lanes others = lanes_at(block + k * kBlock);
      for (std::size_t p = 0; p < kParts; ++p) sum.part[p] = Metric::add(sum.part[p], own - others.part[p]);
    }
    if (k < d && within(sum, bound) == 0) break;
  }
  return sum;
}

// Sums of the points of a block to a box.
template <class Metric>
SUREFIT_INLINE Lanes box_sums(const double* block, const double* box, std::size_t d) {
  Lanes sum{};
  for (std::size_t k = 0; k < d; ++k) {
    const Vec<double> low = splat(box[k]), high = splat(box[linkage::padded(d) + k]);
    const Lanes x = lanes_at(block + k * kBlock);
    for (std::size_t p = 0; p < kParts; ++p) {
      sum.part[p] = Metric::add(sum.part[p], positive(larger(low - x.part[p], x.part[p] - high)));
    }
  }
  return sum;
}

// value · 2|A||B| / (|A| + |B|)
SUREFIT_INLINE void weigh(Lanes& value, double own, const double* sizes) {
  const Vec<double> a = splat(own);
  const Lanes b = lanes_at(sizes);
  for (std::size_t p = 0; p < kParts; ++p) value.part[p] *= 2 * (a * b.part[p]) / (a + b.part[p]);
}

}  // namespace
}  // namespace surefit::SUREFIT_LEVEL
