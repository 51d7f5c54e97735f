#include "kernels/gram.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "surefit/aligned.hpp"
#include "surefit/fold.hpp"
#include "surefit/parallel.hpp"

namespace surefit::gram {
namespace {

constexpr std::size_t kTileRows = 1024;
constexpr std::size_t kTileColumns = 512;
constexpr std::size_t kPackedNumbers = std::size_t{1} << 15;  // of B in a dense tile: they stay in the second cache

std::size_t whole_panels(std::size_t columns, std::size_t panel) { return (columns + panel - 1) / panel * panel; }

template <class X>
void dense_tile(const Tile<X>& t, Aligned<typename X::Scalar>& packed) {
  if constexpr (std::is_same_v<typename X::Scalar, float>) {
    SUREFIT_TABLE(gram_dense_loops).f32(t, packed.data());
  } else {
    SUREFIT_TABLE(gram_dense_loops).f64(t, packed.data());
  }
}

template <class X>
void sparse_tile(const Tile<X>& t, const SparseSpace<typename X::Scalar>& space) {
  const SparseLoops& loops = SUREFIT_TABLE(gram_sparse_loops);
  if constexpr (std::is_same_v<X, CsrF32I32>) loops.f32_i32(t, space);
  if constexpr (std::is_same_v<X, CsrF32I64>) loops.f32_i64(t, space);
  if constexpr (std::is_same_v<X, CsrF64I32>) loops.f64_i32(t, space);
  if constexpr (std::is_same_v<X, CsrF64I64>) loops.f64_i64(t, space);
}

// The most entries of `panel` rows in a row, and no more columns than there are.
template <class X>
std::size_t panel_columns(const X& x, std::size_t panel) {
  std::size_t most = 0;
  for (std::size_t j = 0; j < x.n; j += panel) {
    const std::size_t end = std::min(j + panel, x.n);
    most = std::max(most, static_cast<std::size_t>(x.indptr[end] - x.indptr[j]));
  }
  return std::min(most, x.d);
}

template <class T>
struct Space {
  Space(std::size_t n_lines, std::size_t panel, std::size_t d) : lines((n_lines + 1) * panel), slots(d, 0) {}
  Aligned<T> lines;
  std::vector<int> slots;
};

// work(tile, thread) for every tile of the block; a tile that stops halfway stops the whole block.
template <class X, class Work>
void each_tile(const Side<X>& a, const Side<X>& b, const Form& form, std::size_t columns, int n_threads,
               typename X::Scalar* out, Work&& work) {
  const std::size_t across = leaves_of(b.x.n, columns), down = leaves_of(a.x.n, kTileRows);
  parallel_for(across * down, n_threads, [&](std::size_t task, int thread) {
    const std::size_t i = task / across * kTileRows, j = task % across * columns;
    const Tile<X> t{a, b, form, i, std::min(i + kTileRows, a.x.n), j, std::min(j + columns, b.x.n), out, b.x.n};
    work(t, thread);
  });
}

}  // namespace

template <class X>
void block(const Side<X>& a, const Side<X>& b, const Form& form, int n_threads, typename X::Scalar* out) {
  using T = typename X::Scalar;
  constexpr bool single = std::is_same_v<T, float>;
  const double pairs = static_cast<double>(a.x.n) * static_cast<double>(b.x.n);
  if constexpr (X::sparse) {
    const SparseLoops& loops = SUREFIT_TABLE(gram_sparse_loops);
    const std::size_t panel = single ? loops.panel_f32 : loops.panel_f64, lines = panel_columns(b.x, panel);
    const double entries = static_cast<double>(a.x.entries()) * static_cast<double>(b.x.n);
    n_threads = threads_for(entries * kVectorNs * 2 + pairs, n_threads);
    PerThread<Space<T>> spaces(n_threads);
    each_tile(a, b, form, whole_panels(kTileColumns, panel), n_threads, out, [&](const Tile<X>& t, int thread) {
      Space<T>& space = spaces.of(thread, lines, panel, b.x.d);
      sparse_tile(t, SparseSpace<T>{space.lines.data(), space.slots.data()});
    });
  } else {
    const DenseLoops& loops = SUREFIT_TABLE(gram_dense_loops);
    const std::size_t panel = single ? loops.panel_f32 : loops.panel_f64, d = std::max<std::size_t>(a.x.d, 1);
    const std::size_t columns = whole_panels(std::clamp<std::size_t>(kPackedNumbers / d, 1, kTileColumns), panel);
    n_threads = threads_for(pairs * (kVectorNs * static_cast<double>(d) + kScalarNs), n_threads);
    PerThread<Aligned<T>> packed(n_threads);
    each_tile(a, b, form, columns, n_threads, out, [&](const Tile<X>& t, int thread) {
      dense_tile(t, packed.of(thread, columns * d));
    });
  }
}

#define SUREFIT_BLOCK(X) \
  template void block<X>(const Side<X>&, const Side<X>&, const Form&, int, typename X::Scalar*);
SUREFIT_EACH_ROWS(SUREFIT_BLOCK)
#undef SUREFIT_BLOCK

}  // namespace surefit::gram
