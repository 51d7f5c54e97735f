// One formula for the distance of two rows. Its bits depend on the two rows alone.
//
//   raw = Σ_j w_j term(|a_j - b_j|), columns in order, in double, without fused products    (or the largest term)
//   distance = finish(raw)
//
//   order      term       finish: root     none       half
//   two        gap²       √raw             raw        raw / 2    (half: 1 - cos of normalized rows)
//   one        gap        raw              raw
//   infinity   gap        raw              raw        the largest, w is not used
//   power      gap^p      raw^(1/p)        raw
//
// Rounding is monotone: where every gap is at most another pair's gap, so is raw. So raw of the gaps to a box is a lower
// bound of raw to every row in the box, to the bit. (Library powers are monotone to a few units: kPowerSlack.)
#pragma once

#include <cmath>
#include <cstddef>

#include "surefit/simd.hpp"

namespace surefit::search {

enum class Order : int { two = 0, one = 1, infinity = 2, power = 3 };
enum class Finish : int { root = 0, none = 1, half = 2 };

struct Form {
  Order order;
  Finish finish;
  double p;               // of Order::power
  const double* weights;  // of the columns; null: ones
};

inline constexpr double kUnit = 0x1p-52;
inline constexpr double kPowerSlack = 64 * kUnit;

SUREFIT_INLINE double finished(const Form& form, double raw) {
  if (form.finish == Finish::none) return raw;
  if (form.finish == Finish::half) return 0.5 * raw;
  if (form.order == Order::two) return __builtin_sqrt(raw);
  if (form.order == Order::power) return __builtin_pow(raw, 1 / form.p);
  return raw;
}

// finished(raw) ≤ distance implies raw ≤ raw_limit(distance).
SUREFIT_INLINE double raw_limit(const Form& form, double distance) {
  if (form.finish == Finish::none) return distance;
  if (form.finish == Finish::half) return 2 * distance + 0x1p-1073;
  if (form.order == Order::two) return distance * distance * (1 + 4 * kUnit) + 0x1p-1072;
  if (form.order == Order::power) {
    return __builtin_pow(distance, form.p) * (1 + (4 * form.p + 8) * kUnit + kPowerSlack) + 0x1p-1072;
  }
  return distance;
}

// raw ≤ raw_sure(distance) implies finished(raw) ≤ distance.
SUREFIT_INLINE double raw_sure(const Form& form, double distance) {
  double sure = distance;
  if (form.finish == Finish::half) sure = 2 * distance;
  if (form.finish == Finish::root && form.order == Order::two) sure = distance * distance * (1 - 8 * kUnit) - 0x1p-1070;
  if (form.finish == Finish::root && form.order == Order::power) {
    sure = __builtin_pow(distance, form.p) * (1 - (8 * form.p + 16) * kUnit - kPowerSlack) - 0x1p-1070;
  }
  return sure < 0x1.fffffffffffffp1023 || !(distance < __builtin_inf()) ? sure : 0x1.fffffffffffffp1023;
}

// raw of Order::two for a row against four others: the sums do not wait for each other.
template <class T, class U>
SUREFIT_INLINE void squares_of_four(const Form& form, const T* a, const U* const* b, std::size_t d, double* raw) {
  double sum[4] = {};
  for (std::size_t j = 0; j < d; ++j) {
    const double x = static_cast<double>(a[j]), weight = form.weights ? form.weights[j] : 1.0;
    for (int r = 0; r < 4; ++r) {
      const double gap = x - static_cast<double>(b[r][j]);
      sum[r] += gap * gap * weight;
    }
  }
  for (int r = 0; r < 4; ++r) raw[r] = sum[r];
}

}  // namespace surefit::search
