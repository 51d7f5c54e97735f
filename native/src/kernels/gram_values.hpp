// What becomes of the sums of a tile. Included by vector sources only.
#pragma once

#if defined(SUREFIT_LEVEL_v3) || defined(SUREFIT_LEVEL_v4)
#include <immintrin.h>
#endif

#include "kernels/gram.hpp"
#include "simd/exponential.hpp"
#include "surefit/simd.hpp"

namespace surefit::SUREFIT_LEVEL {

// v^n by squaring, n ≥ 0.
template <class T>
inline Vec<T> power(Vec<T> v, int n) {
  if (n == 0) return splat(T(1));
  int bit = 1;
  while (bit <= n / 2) bit *= 2;
  Vec<T> p = v;
  for (bit /= 2; bit > 0; bit /= 2) {
    p = p * p;
    if (n & bit) p = p * v;
  }
  return p;
}

template <gram::Finish finish, class T>
inline Vec<T> finished(Vec<T> v, const gram::Form& form) {
  if constexpr (finish == gram::Finish::exponential) return exp_below_zero<T>(v * splat(static_cast<T>(-form.gamma)));
  if constexpr (finish == gram::Finish::power) {
    return power<T>(v * splat(static_cast<T>(form.gamma)) + splat(static_cast<T>(form.coef0)), form.degree);
  }
  return v;
}

template <class V>
inline bool any(V mask) {
#if defined(SUREFIT_LEVEL_v4)
  __m512i bits;
  std::memcpy(&bits, &mask, sizeof bits);
  return _mm512_test_epi64_mask(bits, bits) != 0;
#elif defined(SUREFIT_LEVEL_v3)
  __m256i bits;
  std::memcpy(&bits, &mask, sizeof bits);
  return _mm256_testz_si256(bits, bits) == 0;
#else
  bool found = false;
  for (std::size_t l = 0; l < sizeof(mask) / sizeof(mask[0]); ++l) found |= mask[l] != 0;
  return found;
#endif
}

// Where |a|² + |b|² - 2 a.b has lost digits, or the norms are beyond floating point.
template <class T>
inline auto lost_digits(Vec<T> sq_dist, Vec<T> norms) {
  return !(sq_dist > norms * splat(gram::kClose<T>));
}

}  // namespace surefit::SUREFIT_LEVEL
