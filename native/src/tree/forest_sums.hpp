// Sums over the rows of a node that are the same in any order.
//
// Weights are whole numbers k with Σ k < 2⁵¹. A number y is held as the whole number next to y 2^(74 − e), where |y| < 2^e
// for all of them: k times it adds up in 128 bits. What is added up as doubles, bin by bin, is rounded first to a
// multiple of a power of two so large that no sum needs more than 53 bits.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tree/forest.hpp"

namespace surefit::forest {

using Whole = __int128;
constexpr int kFraction = 74;

inline double xlogy(double x, double y) { return x > 0 ? x * std::log(y) : 0.0; }

// e with |x| < 2^e; not so low that 2^(kFraction − e) overflows.
inline int exponent_above(double x) {
  int e = 0;
  std::frexp(x, &e);
  return std::max(e, -900);
}

// x in units of 2^(e − kFraction), for |x| ≤ 2^e.
inline Whole fixed(double x, double per_unit) {
  const double units = std::nearbyint(x * per_unit), upper = std::trunc(units * 0x1p-32);
  return (static_cast<Whole>(static_cast<std::int64_t>(upper)) * (Whole{1} << 32)) +
         static_cast<std::int64_t>(units - upper * 0x1p32);
}
inline double per_unit(int e) { return std::ldexp(1.0, kFraction - e); }

// Adding and taking away 1.5 · 2⁵² u rounds to a multiple of u, where |x| < 2⁵¹ u. With u = 2^(e − 51) for sums below 2^e.
inline double rounder(int e) { return std::ldexp(1.5, e + 1); }
inline double rounded(double x, double rounder) { return (x + rounder) - rounder; }

// What is known of a node before its bins are added up, of all its rows or of a part of them: sums that have no order.
struct Totals {
  std::vector<double> weights;  // of the classes; of all, with numbers
  Whole sum = 0;                // Σ w y of numbers, in units of 2^(y_exponent − kFraction)
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
};

// What a second look at numbers adds: their spread (or deviance) in units of its own, and the sum of the terms.
struct Rest {
  Whole spread = 0;
  double sum = 0;
};

}  // namespace surefit::forest
