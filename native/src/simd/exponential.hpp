// The exponential of a vector. Included by vector sources only.
#pragma once

#include <cstdint>
#include <cstring>

#include "surefit/simd.hpp"

namespace surefit::SUREFIT_LEVEL {

template <class T>
struct ExpOf;

// exp x = 2^k exp r, k = round(x / ln 2), |r| ≤ ½ ln 2; exp r = 1 + r + r² q(r), q by interpolation at Chebyshev's points
// (relative error 2e-17 and 7e-10). ln 2 is cut so that k · high is exact.
template <>
struct ExpOf<double> {
  using Int = std::uint64_t;  // bits that may run over
  static constexpr double log2e = 0x1.71547652b82fep+0, high = 0x1.62e42p-1, low = 0x1.fdf473de6af28p-22;
  static constexpr double magic = 0x1.8p52, least = -708.3;
  static constexpr int shift = 52, bias = 1023, terms = 10;
  static constexpr double q[terms] = {0x1.0000000000001p-1,  0x1.5555555555556p-3,  0x1.5555555553d63p-5,
                                      0x1.11111111109b3p-7,  0x1.6c16c1788bd90p-10, 0x1.a01a01a7c41d5p-13,
                                      0x1.a019b90d2ae7ap-16, 0x1.71de0dae63bb3p-19, 0x1.289185613a3d6p-22,
                                      0x1.af38a9b0ec855p-26};
};
template <>
struct ExpOf<float> {
  using Int = std::uint32_t;
  static constexpr float log2e = 0x1.715476p+0f, high = 0x1.63p-1f, low = -0x1.bd0106p-13f;
  static constexpr float magic = 0x1.8p23f, least = -87.3f;
  static constexpr int shift = 23, bias = 127, terms = 6;
  static constexpr float q[terms] = {0x1.0p-1f,      0x1.555556p-3f,  0x1.5554eap-5f,
                                     0x1.1110e0p-7f, 0x1.6d4324p-10f, 0x1.a124f2p-13f};
};

// exp x for x ≤ 0, to about one unit in the last place; zero below the smallest normal number.
template <class T>
inline Vec<T> exp_below_zero(Vec<T> x) {
  using E = ExpOf<T>;
  using Bits = Vec<typename E::Int>;
  const Vec<T> magic = splat(E::magic);
  const Vec<T> t = x * splat(E::log2e) + magic;  // k stands in the last bits of t
  const Vec<T> k = t - magic;
  Vec<T> r = x - k * splat(E::high);
  r = r - k * splat(E::low);
  const Vec<T> s = r * r;  // odd and even terms of q run side by side
  Vec<T> odd = splat(E::q[E::terms - 1]), even = splat(E::q[E::terms - 2]);
#pragma GCC unroll 16
  for (int i = E::terms - 3; i >= 0; i -= 2) {
    odd = odd * s + splat(E::q[i]);
    even = even * s + splat(E::q[i - 1]);
  }
  const Vec<T> p = (odd * r + even) * s + r + splat(T(1));
  Bits bits;
  std::memcpy(&bits, &t, sizeof bits);
  bits = (bits << E::shift) + splat(static_cast<typename E::Int>(E::bias) << E::shift);
  Vec<T> scale;
  std::memcpy(&scale, &bits, sizeof scale);
  return x < splat(E::least) ? Vec<T>{} : p * scale;
}

}  // namespace surefit::SUREFIT_LEVEL
