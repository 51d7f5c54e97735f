#include "network/layer_loops.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

template <class T>
inline T root(T x) {
  if constexpr (sizeof(T) == sizeof(float)) return __builtin_sqrtf(x);
  return __builtin_sqrt(x);
}

template <bool rectified, class T>
void bias(T* __restrict z, std::size_t stride, network::Size size, const T* __restrict b) {
  for (std::size_t r = 0; r < size.rows; ++r, z += stride) {
    for (std::size_t j = 0; j < size.columns; ++j) {
      const T v = z[j] + b[j];
      z[j] = rectified && v < 0 ? T(0) : v;  // NaN stays
    }
  }
}

template <class T>
void gate(T* __restrict delta, std::size_t stride, network::Size size, const T* __restrict a) {
  for (std::size_t r = 0; r < size.rows; ++r, delta += stride, a += stride) {
    for (std::size_t j = 0; j < size.columns; ++j) delta[j] = a[j] > 0 ? delta[j] : T(0);
  }
}

// The numbers of a row that comes soon are asked for while this one is computed.
template <class T>
void prefetch(const T* row, std::size_t columns) {
  for (std::size_t j = 0; j < columns; j += 64 / sizeof(T)) __builtin_prefetch(row + j, 1);
}

template <class T>
void adam(const network::AdamStep<T>& a, std::size_t stride, network::Size size, const T* __restrict g,
          std::size_t g_stride) {
  constexpr std::size_t ahead = 6;  // rows
  const T alpha = a.alpha, share = a.share, beta_1 = a.beta_1, rest_1 = a.rest_1, beta_2 = a.beta_2;
  const T rest_2 = a.rest_2, epsilon = a.epsilon, rate = a.rate;
  T* __restrict w = a.w;
  T* __restrict m = a.m;
  T* __restrict s = a.s;
  for (std::size_t r = 0; r < size.rows; ++r, w += stride, m += stride, s += stride, g += g_stride) {
    if (r + ahead < size.rows) {
      prefetch(w + ahead * stride, size.columns);
      prefetch(m + ahead * stride, size.columns);
      prefetch(s + ahead * stride, size.columns);
    }
    for (std::size_t i = 0; i < size.columns; ++i) {
      const T slope = (g[i] + alpha * w[i]) * share;
      const T mean = beta_1 * m[i] + rest_1 * slope, square = beta_2 * s[i] + rest_2 * (slope * slope);
      m[i] = mean;
      s[i] = square;
      w[i] -= rate * (mean / (root(square) + epsilon));
    }
  }
}

template <class T>
constexpr network::LayerLoops<T> loops = {bias<false, T>, bias<true, T>, gate<T>, adam<T>};

}  // namespace

extern const network::AllLayerLoops layer_loops;
const network::AllLayerLoops layer_loops = {loops<float>, loops<double>};

}  // namespace surefit::SUREFIT_LEVEL
