#include "products/product.hpp"

#include <algorithm>
#include <type_traits>

#include "products/product_loops.hpp"
#include "surefit/aligned.hpp"
#include "surefit/fold.hpp"

namespace surefit::products {
namespace {

// Rows of C of one task: at most, and a multiple of. Each task packs its panels of B, so that fewer tasks pack less:
// larger ones are taken where they come to all threads in equal number.
constexpr std::size_t kRowBlock = 96, kLargeBlock = 216, kRowStep = 24;

// c: where C goes, or null
template <class T>
void run(const T* a, const T* b, T* c, std::size_t m, std::size_t n, std::size_t k, bool turned, int n_threads,
         const Finish<T>& finish) {
  const Loops& loops = SUREFIT_TABLE(product_loops);
  std::size_t wide;
  void (*part)(const Part<T>&);
  if constexpr (std::is_same_v<T, float>) {
    wide = loops.single_columns, part = loops.single_part;
  } else {
    wide = loops.double_columns, part = loops.double_part;
  }
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) * kVectorNs;
  n_threads = threads_for(work, n_threads);
  const std::size_t panels = (n + wide - 1) / wide, large = (m + kLargeBlock - 1) / kLargeBlock;
  const bool even = c != nullptr && panels * large % static_cast<std::size_t>(n_threads) == 0;
  const std::size_t most = even ? large : (m + kRowBlock - 1) / kRowBlock;
  const std::size_t rows = most == 0 ? kRowStep : ((m + most - 1) / most + kRowStep - 1) / kRowStep * kRowStep;
  const std::size_t blocks = (m + rows - 1) / rows;
  PerThread<Aligned<T>> packed(n_threads), unplaced(n_threads);
  parallel_for_shares(panels * blocks, n_threads, [&](std::size_t task, int thread) {
    const std::size_t j = task / blocks * wide, i = task % blocks * rows;
    T* panel = packed.of(thread, kDepth * wide).data();
    Block<T> block{c + i * n + j, n, i, j, std::min(rows, m - i), std::min(wide, n - j)};
    if (c == nullptr) block.at = unplaced.of(thread, rows * wide).data(), block.stride = wide;
    part({a + (turned ? i : i * k), turned ? m : k, b + j, n, block.at, block.stride, block.rows, block.columns, k,
          turned, panel});
    if (finish) finish(block);
  });
}

}  // namespace

template <class T>
void multiply(const T* a, const T* b, T* c, std::size_t m, std::size_t n, std::size_t k, bool turned, int n_threads,
              const Finish<T>& finish) {
  if (m > 0 && n > 0) run(a, b, c, m, n, k, turned, n_threads, finish);
}

template <class T>
void multiply_blocks(const T* a, const T* b, std::size_t m, std::size_t n, std::size_t k, bool turned, int n_threads,
                     const Finish<T>& finish) {
  run(a, b, static_cast<T*>(nullptr), m, n, k, turned, n_threads, finish);
}

#define SUREFIT_PRODUCT(T)                                                                                \
  template void multiply(const T*, const T*, T*, std::size_t, std::size_t, std::size_t, bool, int,        \
                         const Finish<T>&);                                                               \
  template void multiply_blocks(const T*, const T*, std::size_t, std::size_t, std::size_t, bool, int,     \
                                const Finish<T>&);
SUREFIT_PRODUCT(float)
SUREFIT_PRODUCT(double)
#undef SUREFIT_PRODUCT

}  // namespace surefit::products
