// Rows of numbers, read where they are: the only row types.
//
// Dense and compressed rows (CSR) offer the same, so that an algorithm is one text for both:
//   rows.n, rows.d    how many rows and columns          rows.entries()   how many numbers are stored
//   rows.row(i)       one row: row.size() numbers are stored, row.each(step) calls step(x_j, j, lane) for each of them
//                     row.dot(v, scale), add_to(row, c, v), and row.prefetch(most) for one that is wanted soon
//
// Where dense rows and CSR must give the same bits, a sum runs in RowLanes: column j in lane j mod kRowLanes, the lanes
// added in a fixed tree; a zero adds nothing. `dot` is the fast sum of either kind.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "surefit/simd.hpp"

namespace surefit {

constexpr std::size_t kRowLanes = 16;

template <class T>
struct DenseRow {
  const T* x;
  std::size_t d;

  SUREFIT_INLINE std::size_t size() const { return d; }

  template <class Step>
  SUREFIT_INLINE void each(Step&& step) const {
    std::size_t j = 0;
    for (; j + kRowLanes <= d; j += kRowLanes) {
      for (std::size_t l = 0; l < kRowLanes; ++l) step(static_cast<double>(x[j + l]), j + l, l);
    }
    for (std::size_t l = 0; j < d; ++j, ++l) step(static_cast<double>(x[j]), j, l);
  }

  // Σ scale · x · v, for a scale that is a power of two and keeps products in range. Four sums run side by side.
  SUREFIT_INLINE double dot(const double* v, double scale) const {
    double sums[4] = {0, 0, 0, 0};
    std::size_t j = 0;
    for (; j + 4 <= d; j += 4) {
      for (std::size_t k = 0; k < 4; ++k) sums[k] += scale * static_cast<double>(x[j + k]) * v[j + k];
    }
    for (; j < d; ++j) sums[0] += scale * static_cast<double>(x[j]) * v[j];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  // Calls for the first `most` numbers, which are wanted soon.
  SUREFIT_INLINE void prefetch(std::size_t most) const {
    const std::size_t end = d < most ? d : most;
    for (std::size_t j = 0; j < end; j += 64 / sizeof(T)) __builtin_prefetch(x + j);
  }
};

template <class T, class Index>
struct CsrRow {
  const T* x;
  const Index* column;
  std::size_t count;

  SUREFIT_INLINE std::size_t size() const { return count; }

  template <class Step>
  SUREFIT_INLINE void each(Step&& step) const {
    for (std::size_t e = 0; e < count; ++e) {
      const auto j = static_cast<std::size_t>(column[e]);
      step(static_cast<double>(x[e]), j, j % kRowLanes);
    }
  }

  SUREFIT_INLINE double dot(const double* v, double scale) const {
    double sum = 0;
    for (std::size_t e = 0; e < count; ++e) sum += scale * static_cast<double>(x[e]) * v[column[e]];
    return sum;
  }

  // The same without a scale, in four sums that do not wait for each other.
  SUREFIT_INLINE double product(const double* v) const {
    double sum[4] = {};
    std::size_t e = 0;
    for (; e + 4 <= count; e += 4) {
      for (std::size_t k = 0; k < 4; ++k) sum[k] += static_cast<double>(x[e + k]) * v[column[e + k]];
    }
    for (; e < count; ++e) sum[0] += static_cast<double>(x[e]) * v[column[e]];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
  }

  SUREFIT_INLINE void prefetch(std::size_t most) const {
    const std::size_t end = count < most ? count : most;
    for (std::size_t e = 0; e < end; e += 64 / sizeof(T)) __builtin_prefetch(x + e);
    for (std::size_t e = 0; e < end; e += 64 / sizeof(Index)) __builtin_prefetch(column + e);
  }
};

// Row-major, without gaps.
template <class T>
struct DenseRows {
  using Scalar = T;
  static constexpr bool sparse = false;
  const T* x;
  std::size_t n, d;

  SUREFIT_INLINE DenseRow<T> row(std::size_t i) const { return {x + i * d, d}; }
  SUREFIT_INLINE std::size_t entries() const { return n * d; }
};

// indptr rises from 0 and columns are in range: made by checked_csr (engine/checked_csr.hpp). In a row columns may come
// in any order, and more than once: then their numbers add up.
template <class T, class Index>
struct CsrRows {
  using Scalar = T;
  static constexpr bool sparse = true;
  const T* data;
  const Index* indices;
  const Index* indptr;  // n + 1
  std::size_t n, d;

  SUREFIT_INLINE CsrRow<T, Index> row(std::size_t i) const {
    const Index first = indptr[i];
    return {data + first, indices + first, static_cast<std::size_t>(indptr[i + 1] - first)};
  }
  SUREFIT_INLINE std::size_t entries() const { return static_cast<std::size_t>(indptr[n]); }
};

// Rows in classes 0 … n_classes-1; w may be null (every row counts once).
template <class X>
struct LabelledRows {
  X x;
  const std::int32_t* classes;
  std::size_t n_classes;
  const double* w;

  SUREFIT_INLINE double weight(std::size_t i) const { return w ? w[i] : 1.0; }
};

template <class R>
concept Rows = requires(const R& rows, std::size_t i, const double* v, void (*step)(double, std::size_t, std::size_t)) {
  typename R::Scalar;
  { R::sparse } -> std::convertible_to<bool>;
  { rows.n } -> std::convertible_to<std::size_t>;
  { rows.d } -> std::convertible_to<std::size_t>;
  { rows.entries() } -> std::same_as<std::size_t>;
  { rows.row(i).size() } -> std::same_as<std::size_t>;
  { rows.row(i).dot(v, 1.0) } -> std::same_as<double>;
  rows.row(i).each(step);
  rows.row(i).prefetch(i);
};

// The written list of instantiations: M(name) for each.
using DenseF32 = DenseRows<float>;
using DenseF64 = DenseRows<double>;
using CsrF32I32 = CsrRows<float, std::int32_t>;
using CsrF32I64 = CsrRows<float, std::int64_t>;
using CsrF64I32 = CsrRows<double, std::int32_t>;
using CsrF64I64 = CsrRows<double, std::int64_t>;
#define SUREFIT_EACH_DENSE(M) M(DenseF32) M(DenseF64)
#define SUREFIT_EACH_CSR(M) M(CsrF32I32) M(CsrF32I64) M(CsrF64I32) M(CsrF64I64)
#define SUREFIT_EACH_ROWS(M) SUREFIT_EACH_DENSE(M) SUREFIT_EACH_CSR(M)
static_assert(Rows<DenseF32> && Rows<CsrF32I32>);

struct RowLanes {
  double sum[kRowLanes] = {};

  SUREFIT_INLINE double total() {
    for (std::size_t half = kRowLanes / 2; half > 0; half /= 2) {
      for (std::size_t l = 0; l < half; ++l) sum[l] += sum[l + half];
    }
    return sum[0];
  }
};

// v ← v + c x
template <class Row>
SUREFIT_INLINE void add_to(const Row& row, double c, double* __restrict v) {
  row.each([&](double x, std::size_t j, std::size_t) { v[j] += c * x; });
}

}  // namespace surefit
