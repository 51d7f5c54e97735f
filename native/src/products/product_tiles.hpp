// C (+)= op(A) B in register tiles: rows of A are broadcast against vectors of columns of B. Included by vector sources
// only; everything is in the namespace of the level.
#pragma once

#include <cstddef>

#include "surefit/simd.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

// Accumulators, the vectors of a row of B and one broadcast fill the register file.
constexpr int kTileVecs = kVectorRegisters >= 32 ? 4 : 2;
constexpr int kAccumulators = kVectorRegisters >= 32 ? 24 : 12;
template <class T>
constexpr std::size_t kPanelColumns = kTileVecs * kLanes<T>;

// R rows of C and V vectors of its columns, of which `columns` are written. A is read at a[i · lda + p], or where it is
// `turned` at a[p · lda + i]; B may be read up to the last vector.
template <int R, int V, bool turned, class T>
inline void product_tile(std::size_t k, const T* a, std::size_t lda, const T* b, std::size_t ldb, T* c, std::size_t ldc,
                         std::size_t columns, bool add) {
  Vec<T> sum[R][V] = {};
  for (std::size_t p = 0; p < k; ++p, b += ldb) {
    Vec<T> row[V];
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) row[v] = load(b + v * kLanes<T>);
#pragma GCC unroll 16
    for (int r = 0; r < R; ++r) {
      const Vec<T> share = splat(turned ? a[p * lda + r] : a[r * lda + p]);
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) sum[r][v] += share * row[v];
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < R; ++r) {
    T* out = c + r * ldc;
    if (columns == V * static_cast<std::size_t>(kLanes<T>)) {
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) {
        T* at = out + v * kLanes<T>;
        store(at, add ? load(at) + sum[r][v] : sum[r][v]);
      }
    } else {
      T last[V * kLanes<T>];
      for (int v = 0; v < V; ++v) store(last + v * kLanes<T>, sum[r][v]);
      for (std::size_t j = 0; j < columns; ++j) out[j] = add ? out[j] + last[j] : last[j];
    }
  }
}

// m rows of C, in tiles of R rows and smaller ones for the rest.
template <int R, int V, bool turned, class T>
inline void product_rows(std::size_t m, std::size_t k, const T* a, std::size_t lda, const T* b, std::size_t ldb, T* c,
                         std::size_t ldc, std::size_t columns, bool add) {
  std::size_t i = 0;
  for (; i + R <= m; i += R) {
    product_tile<R, V, turned>(k, a + (turned ? i : i * lda), lda, b, ldb, c + i * ldc, ldc, columns, add);
  }
  if constexpr (R > 1) {
    if (i < m) {
      constexpr int less = R > 8 ? 8 : R > 4 ? 4 : R > 2 ? 2 : 1;
      product_rows<less, V, turned>(m - i, k, a + (turned ? i : i * lda), lda, b, ldb, c + i * ldc, ldc, columns, add);
    }
  }
}

// All m rows of at most kPanelColumns columns of C.
template <bool turned, class T>
inline void product_panel(std::size_t m, std::size_t k, const T* a, std::size_t lda, const T* b, std::size_t ldb, T* c,
                          std::size_t ldc, std::size_t columns, bool add) {
  constexpr std::size_t W = kLanes<T>;
  if (columns <= W) return product_rows<12, 1, turned>(m, k, a, lda, b, ldb, c, ldc, columns, add);
  if (columns <= 2 * W) return product_rows<kAccumulators / 2, 2, turned>(m, k, a, lda, b, ldb, c, ldc, columns, add);
  if constexpr (kTileVecs == 4) {
    if (columns <= 3 * W) return product_rows<8, 3, turned>(m, k, a, lda, b, ldb, c, ldc, columns, add);
    product_rows<6, 4, turned>(m, k, a, lda, b, ldb, c, ldc, columns, add);
  }
}

}  // namespace
}  // namespace surefit::SUREFIT_LEVEL
