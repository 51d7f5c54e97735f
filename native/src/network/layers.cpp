#include "network/layers.hpp"

#include <algorithm>
#include <cstring>

#include "products/product.hpp"
#include "surefit/fold.hpp"

namespace surefit::network {
namespace {

constexpr std::size_t kChunk = 1 << 14;  // parameters of one task
constexpr std::size_t kGatherRows = 8;   // rows of one task

}  // namespace

template <class T>
void gather(const T* x, const std::int64_t* places, T* out, std::size_t m, std::size_t d, int n_threads) {
  n_threads = threads_awake(static_cast<double>(m) * static_cast<double>(d) * kScalarNs, n_threads);
  parallel_for_shares((m + kGatherRows - 1) / kGatherRows, n_threads, [&](std::size_t task, int) {
    const std::size_t last = std::min(m, (task + 1) * kGatherRows);
    for (std::size_t i = task * kGatherRows; i < last; ++i) {
      std::memcpy(out + i * d, x + static_cast<std::size_t>(places[i]) * d, d * sizeof(T));
    }
  });
}

template <class T>
void forward(const T* a, const T* w, const T* b, T* z, std::size_t m, std::size_t n, std::size_t k,
             Activation activation, int n_threads) {
  const auto activate = loops<T>().activate[static_cast<std::size_t>(activation)];
  products::multiply<T>(a, w, z, m, n, k, false, n_threads, [&](const products::Block<T>& block) {
    activate(block.at, block.stride, {block.rows, block.columns}, b + block.j);
  });
}

template <class T>
void backward(const T* delta, const T* turned_w, const T* a, const T* mask, T* out, std::size_t m, std::size_t n,
              std::size_t k, Activation activation, int n_threads) {
  const auto slope = loops<T>().slope[static_cast<std::size_t>(activation)];
  products::multiply<T>(delta, turned_w, out, m, k, n, false, n_threads, [&](const products::Block<T>& block) {
    const std::size_t at = block.i * k + block.j;
    slope(block.at, block.stride, {block.rows, block.columns}, a + at);
    if (mask != nullptr) loops<T>().scale(block.at, block.stride, {block.rows, block.columns}, mask + at);
  });
}

template <class T>
void descend(const T* a, const T* delta, const AdamStep<T>& step, std::size_t m, std::size_t n, std::size_t k,
             int n_threads, const Moved& moved) {
  products::multiply_blocks<T>(a, delta, k, n, m, true, n_threads, [&](const products::Block<T>& block) {
    const Size size = {block.rows, block.columns};
    loops<T>().adam(step.from(block.i * n + block.j), n, size, block.at, block.stride);
    if (moved) moved(block.i, block.j, size);
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

#define SUREFIT_LAYERS(T)                                                                                             \
  template void gather(const T*, const std::int64_t*, T*, std::size_t, std::size_t, int);                             \
  template void forward(const T*, const T*, const T*, T*, std::size_t, std::size_t, std::size_t, Activation, int);    \
  template void backward(const T*, const T*, const T*, const T*, T*, std::size_t, std::size_t, std::size_t,           \
                         Activation, int);                                                                            \
  template void descend(const T*, const T*, const AdamStep<T>&, std::size_t, std::size_t, std::size_t, int,           \
                        const Moved&);                                                                                \
  template void descend(const T*, const AdamStep<T>&, std::size_t, int);
SUREFIT_LAYERS(float)
SUREFIT_LAYERS(double)
#undef SUREFIT_LAYERS

}  // namespace surefit::network
