// Nearest of few centers, row by row where it lies: no tile is turned, and the pass runs as fast as memory gives rows.
//
// With x' = (x − shift)·scale, center c is nearer than the first where
//     x'·(c − c₀) − ½(‖c'‖² − ‖c₀'‖²) > 0,
// and the nearest of all is where this is largest (0 for the first): k − 1 products, one for two centers.
// Included by kmeans_score.hpp only.
#pragma once

#include "cluster/kmeans_tile.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

// Lane r of the result is the sum of the lanes of v[r]: neighbours are added, log2 times.
template <class T>
inline Vec<T> sum_each(Vec<T> (&v)[kLanes<T>]) {
  constexpr int W = kLanes<T>;
#pragma GCC unroll 4
  for (int count = W; count > 1; count /= 2) {
#pragma GCC unroll 8
    for (int p = 0; p < count / 2; ++p) {
      v[p] = even_lanes(v[2 * p], v[2 * p + 1], std::make_index_sequence<W>()) +
             odd_lanes(v[2 * p], v[2 * p + 1], std::make_index_sequence<W>());
    }
  }
  return v[0];
}

// x'·difference for kLanes rows.
template <class T>
inline Vec<T> products(const T* const (&rows)[kLanes<T>], std::size_t d, const T* shift, T scale, const T* difference) {
  constexpr std::size_t W = kLanes<T>;
  Vec<T> acc[W] = {};
  std::size_t j = 0;
  for (; j + W <= d; j += W) {
    const Vec<T> s = load(shift + j), a = load(difference + j);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < W; ++r) acc[r] += (load(rows[r] + j) * scale - s) * a;
  }
  if (j < d) {  // what lies behind the row must not count, not even as inf · 0
    Vec<Index<T>> in_row;
    for (std::size_t lane = 0; lane < W; ++lane) in_row[lane] = j + lane < d ? -1 : 0;
    const Vec<T> s = load(shift + j), a = load(difference + j);
#pragma GCC unroll 16
    for (std::size_t r = 0; r < W; ++r) {
      const Vec<T> t = (load(rows[r] + j) * scale - s) * a;
      acc[r] += in_row ? t : Vec<T>{};
    }
  }
  return sum_each<T>(acc);
}

// All rows of the leaf. Among equal scores the first center wins.
template <class T>
void score_directly(const kmeans::PaddedRows<T>& rows, const kmeans::Centers<T>& c, const kmeans::LeafTask<T>& task) {
  constexpr std::size_t W = kLanes<T>;
  for (std::size_t first = task.lo; first < task.hi; first += W) {
    const std::size_t here = task.hi - first < W ? task.hi - first : W;
    const T* at[W];
    for (std::size_t r = 0; r < W; ++r) at[r] = rows.padded(first + (r < here ? r : here - 1));
    Vec<T> best{};
    Vec<Index<T>> index{};
    for (std::size_t k = 1; k < c.k; ++k) {
      const Vec<T> score = products(at, rows.d, c.shift, c.scale, c.differences.values + (k - 1) * c.stride) +
                           c.differences.offset[k - 1];
      const auto wins = score > best;
      index = wins ? splat(static_cast<Index<T>>(k)) : index;
      best = wins ? score : best;
    }
    Index<T> label[W];
    std::memcpy(label, &index, sizeof label);
    for (std::size_t r = 0; r < here; ++r) task.label[first + r] = static_cast<std::int32_t>(label[r]);
  }
}

}  // namespace
}  // namespace surefit::SUREFIT_LEVEL
