// A comparison of vectors as a number: bit l is set where it holds in lane l. Included inside one level's source only.
#pragma once

#include <cstdint>
#include <cstring>

#include "surefit/simd.hpp"

#if defined(SUREFIT_LEVEL_v3) || defined(SUREFIT_LEVEL_v4)
#include <immintrin.h>
#endif

namespace surefit::SUREFIT_LEVEL {
namespace {

template <class T>
using MaskOf = decltype(Vec<T>{} < Vec<T>{});

template <class T>
SUREFIT_INLINE std::uint32_t bits_of(const MaskOf<T>& mask) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
#if defined(SUREFIT_LEVEL_v4)
  __m512i m;
  std::memcpy(&m, &mask, sizeof m);
  return sizeof(T) == 8 ? static_cast<std::uint32_t>(_mm512_movepi64_mask(m)) : _mm512_movepi32_mask(m);
#elif defined(SUREFIT_LEVEL_v3)
  __m256i m;
  std::memcpy(&m, &mask, sizeof m);
  return static_cast<std::uint32_t>(sizeof(T) == 8 ? _mm256_movemask_pd(_mm256_castsi256_pd(m))
                                                   : _mm256_movemask_ps(_mm256_castsi256_ps(m)));
#else
  std::uint32_t bits = 0;
  for (int l = 0; l < kLanes<T>; ++l) bits |= mask[l] ? 1u << l : 0u;
  return bits;
#endif
}

}  // namespace
}  // namespace surefit::SUREFIT_LEVEL
