#include "network/adam_loops.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

template <class T>
inline T root(T x) {
  if constexpr (sizeof(T) == sizeof(float)) return __builtin_sqrtf(x);
  return __builtin_sqrt(x);
}

template <class T>
void step(const network::AdamStep<T>& a, std::size_t first, std::size_t last) {
  T* __restrict w = a.w;
  T* __restrict m = a.m;
  T* __restrict s = a.s;
  const T* __restrict g = a.g;
  const T beta_1 = a.beta_1, rest_1 = a.rest_1, beta_2 = a.beta_2, rest_2 = a.rest_2, epsilon = a.epsilon, rate = a.rate;
  for (std::size_t i = first; i < last; ++i) {
    const T mean = beta_1 * m[i] + rest_1 * g[i], square = beta_2 * s[i] + rest_2 * (g[i] * g[i]);
    m[i] = mean;
    s[i] = square;
    w[i] -= rate * (mean / (root(square) + epsilon));
  }
}

}  // namespace

extern const network::AdamLoops adam_loops;
const network::AdamLoops adam_loops = {step<float>, step<double>};

}  // namespace surefit::SUREFIT_LEVEL
