#include "products/product.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "products/product_loops.hpp"
#include "surefit/fold.hpp"

namespace surefit::products {
namespace {

constexpr std::size_t kRowBlock = 96, kRowStep = 24;  // rows of C of one task: at most, and a multiple of

}  // namespace

template <class T>
void multiply(const T* a, const T* b, T* c, std::size_t m, std::size_t n, std::size_t k, bool turned, int n_threads) {
  const Loops& loops = SUREFIT_TABLE(product_loops);
  std::size_t wide;
  void (*part)(const Part<T>&);
  if constexpr (std::is_same_v<T, float>) {
    wide = loops.single_columns, part = loops.single_part;
  } else {
    wide = loops.double_columns, part = loops.double_part;
  }
  const std::size_t panels = (n + wide - 1) / wide, most = (m + kRowBlock - 1) / kRowBlock;
  const std::size_t rows = most == 0 ? kRowStep : ((m + most - 1) / most + kRowStep - 1) / kRowStep * kRowStep;
  const std::size_t blocks = (m + rows - 1) / rows;
  const double work = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) * kVectorNs;
  n_threads = threads_for(work, n_threads);
  PerThread<std::vector<T>> packed(n_threads);
  parallel_for(panels * blocks, n_threads, [&](std::size_t task, int thread) {
    const std::size_t j = task % panels * wide, i = task / panels * rows;
    std::vector<T>& panel = packed.of(thread, kDepth * wide);
    part({a + (turned ? i : i * k), turned ? m : k, b + j, n, c + i * n + j, n, std::min(rows, m - i),
          std::min(wide, n - j), k, turned, panel.data()});
  });
}

template void multiply(const float*, const float*, float*, std::size_t, std::size_t, std::size_t, bool, int);
template void multiply(const double*, const double*, double*, std::size_t, std::size_t, std::size_t, bool, int);

}  // namespace surefit::products
