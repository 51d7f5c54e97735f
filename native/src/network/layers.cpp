#include "network/layers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "products/product.hpp"
#include "surefit/fold.hpp"

namespace surefit::network {
namespace {

constexpr std::size_t kChunk = 1 << 14;  // parameters of one task
constexpr std::size_t kGatherRows = 8;   // rows of one task

template <class T>
const LayerLoops<T>& loops() {
  if constexpr (std::is_same_v<T, float>) {
    return SUREFIT_TABLE(layer_loops).single_loops;
  } else {
    return SUREFIT_TABLE(layer_loops).double_loops;
  }
}

}  // namespace

template <class T>
void gather(const T* x, const std::int64_t* places, T* out, std::size_t m, std::size_t d, int n_threads) {
  n_threads = threads_for(static_cast<double>(m) * static_cast<double>(d) * kScalarNs, n_threads);
  parallel_for_shares((m + kGatherRows - 1) / kGatherRows, n_threads, [&](std::size_t task, int) {
    const std::size_t last = std::min(m, (task + 1) * kGatherRows);
    for (std::size_t i = task * kGatherRows; i < last; ++i) {
      std::memcpy(out + i * d, x + static_cast<std::size_t>(places[i]) * d, d * sizeof(T));
    }
  });
}

template <class T>
void forward(const T* a, const T* w, const T* b, T* z, std::size_t m, std::size_t n, std::size_t k, bool rectified,
             int n_threads) {
  const auto end = rectified ? loops<T>().rectify : loops<T>().add_bias;
  products::multiply<T>(a, w, z, m, n, k, false, n_threads, [&](const products::Block<T>& block) {
    end(block.at, block.stride, {block.rows, block.columns}, b + block.j);
  });
}

template <class T>
void backward(const T* delta, const T* turned_w, const T* a, T* out, std::size_t m, std::size_t n, std::size_t k,
              int n_threads) {
  products::multiply<T>(delta, turned_w, out, m, k, n, false, n_threads, [&](const products::Block<T>& block) {
    loops<T>().gate(block.at, block.stride, {block.rows, block.columns}, a + block.i * k + block.j);
  });
}

template <class T>
void descend(const T* a, const T* delta, const AdamStep<T>& step, std::size_t m, std::size_t n, std::size_t k,
             int n_threads) {
  products::multiply_blocks<T>(a, delta, k, n, m, true, n_threads, [&](const products::Block<T>& block) {
    loops<T>().adam(step.from(block.i * n + block.j), n, {block.rows, block.columns}, block.at, block.stride);
  });
}

template <class T>
void descend(const T* g, const AdamStep<T>& step, std::size_t n, int n_threads) {
  n_threads = threads_for(static_cast<double>(n) * kScalarNs, n_threads);
  parallel_for((n + kChunk - 1) / kChunk, n_threads, [&](std::size_t i, int) {
    const std::size_t first = i * kChunk;
    loops<T>().adam(step.from(first), 0, {1, std::min(kChunk, n - first)}, g + first, 0);
  });
}

template <class T>
double softmax_slopes(T* z, const T* y, const double* weights, std::size_t n, std::size_t c) {
  double loss = 0;
  for (std::size_t i = 0; i < n; ++i, z += c, y += c) {
    const T top = *std::max_element(z, z + c);
    T total = 0, score = 0;
    for (std::size_t j = 0; j < c; ++j) {
      const T below = z[j] - top;
      score += below * y[j];
      z[j] = std::exp(below);
      total += z[j];
    }
    const T weight = weights == nullptr ? T(1) : static_cast<T>(weights[i]);
    for (std::size_t j = 0; j < c; ++j) z[j] = weight * (z[j] / total - y[j]);
    const double own = std::log(static_cast<double>(total)) - static_cast<double>(score);
    loss += weights == nullptr ? own : weights[i] * own;
  }
  return loss;
}

#define SUREFIT_LAYERS(T)                                                                                             \
  template void gather(const T*, const std::int64_t*, T*, std::size_t, std::size_t, int);                             \
  template void forward(const T*, const T*, const T*, T*, std::size_t, std::size_t, std::size_t, bool, int);          \
  template void backward(const T*, const T*, const T*, T*, std::size_t, std::size_t, std::size_t, int);               \
  template void descend(const T*, const T*, const AdamStep<T>&, std::size_t, std::size_t, std::size_t, int);          \
  template void descend(const T*, const AdamStep<T>&, std::size_t, int);                                              \
  template double softmax_slopes(T*, const T*, const double*, std::size_t, std::size_t);
SUREFIT_LAYERS(float)
SUREFIT_LAYERS(double)
#undef SUREFIT_LAYERS

}  // namespace surefit::network
