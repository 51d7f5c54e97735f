// Scores of rows and sums of rows, in tiles: what vector sources of linear models share. Included inside a vector source,
// in the namespace of its level.
#pragma once

#include <cstddef>

#include "surefit/simd.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

constexpr bool kMany = kVectorRegisters >= 32;
constexpr int kRows = 4;                 // rows of a tile of scores
constexpr int kScores = kMany ? 4 : 2;   // and its classes
constexpr int kColumns = kMany ? 4 : 2;  // vectors of a tile of the gradient

template <int n>
struct Width {
  static constexpr int value = n;
};

template <class A, class T>
inline Vec<A> take(const T* p) {
  if constexpr (sizeof(A) == sizeof(T)) {
    return load(p);
  } else {
    typedef T Half __attribute__((vector_size(kVectorBytes / 2)));
    Half h;
    __builtin_memcpy(&h, p, sizeof h);
    return __builtin_convertvector(h, Vec<A>);
  }
}

template <class A>
inline A lane_sum(Vec<A> v) {
  A a[kLanes<A>];
  store(a, v);
  for (int half = kLanes<A> / 2; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) a[l] += a[l + half];
  }
  return a[0];
}

// n_k scores of four rows; `rest`: their last columns, padded with zeros.
template <int n_k, class A, class T>
void score_tile(const T* const* x, const A (*rest)[kLanes<A>], std::size_t whole, bool has_rest, const A* w,
                std::size_t padded, const double* b, A* z, std::size_t m, int n_rows) {
  Vec<A> sum[kRows][n_k] = {};
  for (std::size_t j = 0; j < whole; j += kLanes<A>) {
    Vec<A> v[n_k];
#pragma GCC unroll 8
    for (int k = 0; k < n_k; ++k) v[k] = load(w + k * padded + j);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const Vec<A> row = take<A>(x[i] + j);
#pragma GCC unroll 8
      for (int k = 0; k < n_k; ++k) sum[i][k] += row * v[k];
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int k = 0; k < n_k; ++k) {
      if (has_rest) sum[i][k] += load(rest[i]) * load(w + k * padded + whole);
      if (i < n_rows) z[i * m + k] = lane_sum<A>(sum[i][k]) + static_cast<A>(b[k]);
    }
  }
}

// z = x wᵀ + b of n rows of d numbers, m scores each; w has m rows of `padded` numbers, zeros behind column d.
template <class A, class T>
void scores(const T* x, std::size_t n, std::size_t d, std::size_t m, const A* w, std::size_t padded, const double* b,
            A* z) {
  const std::size_t whole = d / kLanes<A> * kLanes<A>;
  for (std::size_t r = 0; r < n; r += kRows) {
    const int n_rows = n - r < kRows ? static_cast<int>(n - r) : kRows;
    const T* row[kRows];
    A rest[kRows][kLanes<A>] = {};
    for (int i = 0; i < kRows; ++i) {
      row[i] = x + (r + (i < n_rows ? i : 0)) * d;
      for (std::size_t j = whole; j < d; ++j) rest[i][j - whole] = static_cast<A>(row[i][j]);
    }
    const auto tile = [&](auto tag, std::size_t k) {
      score_tile<tag.value, A, T>(row, rest, whole, whole < d, w + k * padded, padded, b + k, z + r * m + k, m, n_rows);
    };
    std::size_t k = 0;
    for (; k + kScores <= m; k += kScores) tile(Width<kScores>{}, k);
    for (; k + 2 <= m; k += 2) tile(Width<2>{}, k);
    if (k < m) tile(Width<1>{}, k);
  }
}

// gradient[k][j …] += Σ_rows r[row][k] x[row][j …] for n_k classes and n_c vectors of columns. `ahead`: meanwhile the
// same columns of the next n rows, the next chunk, come into the cache.
template <int n_k, int n_c, bool ahead, class A, class T>
void gradient_tile(const T* x, std::size_t d, const A* r, std::size_t m, std::size_t n, double* g) {
  Vec<A> sum[n_c][n_k] = {};
  for (std::size_t i = 0; i < n; ++i, x += d, r += m) {
    Vec<A> v[n_c];
#pragma GCC unroll 8
    for (int c = 0; c < n_c; ++c) {
      v[c] = take<A>(x + c * kLanes<A>);
      if constexpr (ahead) __builtin_prefetch(x + n * d + c * kLanes<A>, 0, 2);
    }
#pragma GCC unroll 8
    for (int k = 0; k < n_k; ++k) {
      const Vec<A> share = splat(r[k]);
#pragma GCC unroll 8
      for (int c = 0; c < n_c; ++c) sum[c][k] += v[c] * share;
    }
  }
  for (int k = 0; k < n_k; ++k) {
    for (int c = 0; c < n_c; ++c) {
      A a[kLanes<A>];
      store(a, sum[c][k]);
      for (int l = 0; l < kLanes<A>; ++l) g[k * d + c * kLanes<A> + l] += static_cast<double>(a[l]);
    }
  }
}

template <int n_k, bool ahead, class A, class T>
void gradient_classes(const T* x, std::size_t d, const A* r, std::size_t m, std::size_t n, double* g) {
  constexpr std::size_t step = kColumns * kLanes<A>;
  std::size_t j = 0;
  for (; j + step <= d; j += step) gradient_tile<n_k, kColumns, ahead, A, T>(x + j, d, r, m, n, g + j);
  for (; j + kLanes<A> <= d; j += kLanes<A>) gradient_tile<n_k, 1, ahead, A, T>(x + j, d, r, m, n, g + j);
  for (; j < d; ++j) {
    for (int k = 0; k < n_k; ++k) {
      A sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += r[i * m + k] * static_cast<A>(x[i * d + j]);
      g[k * d + j] += static_cast<double>(sum);
    }
  }
}

}  // namespace
}  // namespace surefit::SUREFIT_LEVEL
