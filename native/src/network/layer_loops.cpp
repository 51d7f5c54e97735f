#include "network/layer_loops.hpp"

#include "simd/exponential.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

template <class T>
inline T root(T x) {
  if constexpr (sizeof(T) == sizeof(float)) return __builtin_sqrtf(x);
  return __builtin_sqrt(x);
}

// 1/(1 + e⁻ᶻ): with e = exp −|z| either 1/(1 + e) or e/(1 + e).
struct Logistic {
  template <class T>
  static Vec<T> of(Vec<T> z) {
    const Vec<T> one = splat(T(1)), e = exp_below_zero<T>(z < Vec<T>{} ? z : -z);
    return (z < Vec<T>{} ? e : one) / (one + e);
  }
};

// With e = exp −2|z|: (1 − e)/(1 + e), signed. Where that loses digits: z + z³ p(z²)/q(z²), |z| < 0.625 (Cephes, tanh.c).
struct Tanh {
  template <class T>
  static Vec<T> of(Vec<T> z) {
    const Vec<T> one = splat(T(1)), zero = {}, size = z < zero ? -z : z;
    const Vec<T> e = exp_below_zero<T>(size * splat(T(-2)));
    const Vec<T> far = (one - e) / (one + e), s = z * z;
    const Vec<T> p = (splat(T(-9.64399179425052238628e-1)) * s - splat(T(9.92877231001918586564e1))) * s -
                     splat(T(1.61468768441708447952e3));
    const Vec<T> q = ((s + splat(T(1.12811678491632931402e2))) * s + splat(T(2.23548839060100448583e3))) * s +
                     splat(T(4.84406305325125486048e3));
    return size < splat(T(0.625)) ? z + z * s * (p / q) : z < zero ? -far : far;
  }
};

struct Exponential {
  template <class T>
  static Vec<T> of(Vec<T> z) {
    return exp_below_zero<T>(z);
  }
};

// f of n numbers, in vectors; the last one is filled up with zeros.
template <class F, class T>
void each(T* z, std::size_t n) {
  constexpr std::size_t lanes = kLanes<T>;
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) store(z + j, F::template of<T>(load(z + j)));
  if (j == n) return;
  T last[lanes] = {};
  for (std::size_t l = 0; j + l < n; ++l) last[l] = z[j + l];
  store(last, F::template of<T>(load(last)));
  for (std::size_t l = 0; j + l < n; ++l) z[j + l] = last[l];
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

template <class F, class T>
void activate(T* z, std::size_t stride, network::Size size, const T* b) {
  bias<false>(z, stride, size, b);
  for (std::size_t r = 0; r < size.rows; ++r) each<F>(z + r * stride, size.columns);
}

template <network::Activation activation, class T>
void slope(T* __restrict delta, std::size_t stride, network::Size size, const T* __restrict a) {
  using network::Activation;
  for (std::size_t r = 0; r < size.rows; ++r, delta += stride, a += stride) {
    for (std::size_t j = 0; j < size.columns; ++j) {
      if constexpr (activation == Activation::relu) delta[j] = a[j] > 0 ? delta[j] : T(0);
      if constexpr (activation == Activation::logistic) delta[j] *= a[j] * (1 - a[j]);
      if constexpr (activation == Activation::tanh) delta[j] *= 1 - a[j] * a[j];
    }
  }
}

template <class T>
void scale(T* __restrict z, std::size_t stride, network::Size size, const T* __restrict factors) {
  for (std::size_t r = 0; r < size.rows; ++r, z += stride, factors += stride) {
    for (std::size_t j = 0; j < size.columns; ++j) z[j] *= factors[j];
  }
}

// Sums of up to kRun numbers a lane are held in the precision of the numbers.
template <class T>
double squares(const T* w, std::size_t n) {
  constexpr std::size_t lanes = kLanes<T>, kRun = 32;
  double sum = 0;
  std::size_t i = 0;
  while (i + lanes <= n) {
    Vec<T> part = {};
    for (std::size_t run = 0; run < kRun && i + lanes <= n; ++run, i += lanes) part += load(w + i) * load(w + i);
    for (std::size_t l = 0; l < lanes; ++l) sum += static_cast<double>(part[l]);
  }
  for (; i < n; ++i) sum += static_cast<double>(w[i]) * static_cast<double>(w[i]);
  return sum;
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
  const T rest_2 = a.rest_2, epsilon = a.epsilon, rate = a.rate, kept = a.kept;
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
      w[i] = (w[i] - rate * (mean / (root(square) + epsilon))) * kept;
    }
  }
}

template <class T>
constexpr network::LayerLoops<T> loops = {
    {bias<false, T>, activate<Logistic, T>, activate<Tanh, T>, bias<true, T>},
    {slope<network::Activation::identity, T>, slope<network::Activation::logistic, T>,
     slope<network::Activation::tanh, T>, slope<network::Activation::relu, T>},
    scale<T>, each<Exponential, T>, squares<T>, adam<T>};

}  // namespace

extern const network::AllLayerLoops layer_loops;
const network::AllLayerLoops layer_loops = {loops<float>, loops<double>};

}  // namespace surefit::SUREFIT_LEVEL
