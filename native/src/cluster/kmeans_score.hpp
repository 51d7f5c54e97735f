// Nearest centers of listed rows, dense or CSR.
//
// The nearest center of x maximises  x'·c' − ½‖c'‖²,  x' = (x − shift)·scale: the ‖x'‖² common to all centers is left
// out, and the shift (about the mean) keeps the products small where the data sit far from the origin.
// Included by kmeans_leaf.cpp only.
#pragma once

#include <cmath>

#include "cluster/kmeans_direct.hpp"
#include "cluster/kmeans_tile.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using kmeans::Bounds;
using kmeans::Centers;
using kmeans::LeafTask;
using kmeans::Node;
using kmeans::PaddedRows;
using kmeans::Work;

template <class T>
constexpr T kUlp = std::numeric_limits<T>::epsilon();

// lower bound of the distance to every center but the best, from the second best score
template <class T>
inline T lower_bound(T sq_norm, T second, T max_norm, T slack) {
  const T size = std::sqrt(sq_norm) + max_norm;
  const T sq = sq_norm - 2 * second - slack * size * size;
  // Infinite where there is one center only; not a number where squares overflow: then nothing is known.
  return sq > 0 ? std::sqrt(sq) * (1 - 8 * kUlp<T>) : T(0);
}

// Rows `first` … of the list (offsets from lo), or of the leaf without a list; the last one fills up the tile.
template <class T, int R>
inline void find_rows(const PaddedRows<T>& rows, const LeafTask<T>& task, const std::int32_t* list, std::size_t first,
                      std::size_t here, std::size_t (&id)[R], const T* (&pointers)[R]) {
  if (!list && task.lo + first + R <= (rows.tail_from < task.hi ? rows.tail_from : task.hi)) {
    const T* x = rows.x + (task.lo + first) * rows.d;
    for (int r = 0; r < R; ++r, x += rows.d) pointers[r] = x;
    for (int r = 0; r < R; ++r) id[r] = task.lo + first + std::size_t(r);
    return;
  }
  for (std::size_t r = 0; r < std::size_t(R); ++r) {
    const std::size_t q = first + (r < here ? r : here - 1);
    id[r] = task.lo + (list ? std::size_t(list[q]) : q);
    pointers[r] = rows.padded(id[r]);
  }
}

template <class T, int R>
inline void set_labels(const LeafTask<T>& task, const std::int32_t* list, std::size_t first, std::size_t here,
                       const std::size_t (&id)[R], const Index<T> (&index)[R]) {
  if (list) {
    for (std::size_t r = 0; r < here; ++r) task.label[id[r]] = static_cast<std::int32_t>(index[r]);
  } else {
    std::int32_t* label = task.label + task.lo + first;
    for (std::size_t r = 0; r < here; ++r) label[r] = static_cast<std::int32_t>(index[r]);
  }
}

template <class T>
inline void tile_norms(const T* tile, std::size_t d, T (&norm)[kRowTile<T>]) {
  Vec<T> sq_norm[kRowVecs] = {};
  for (std::size_t j = 0; j < d; ++j) {
    for (int v = 0; v < kRowVecs; ++v) {
      const Vec<T> x = load(tile + j * kRowTile<T> + v * kLanes<T>);
      sq_norm[v] += x * x;
    }
  }
  std::memcpy(norm, sq_norm, sizeof norm);
}

template <class T, bool kSecond>
void score_exactly(const PaddedRows<T>& rows, const Centers<T>& c, const LeafTask<T>& task, Work<T>& work,
                   const std::int32_t* list, std::size_t count) {
  constexpr int R = kRowTile<T>;
  for (std::size_t first = 0; first < count; first += R) {
    const std::size_t here = count - first < std::size_t(R) ? count - first : std::size_t(R);
    std::size_t id[R];
    const T* pointers[R];
    find_rows(rows, task, list, first, here, id, pointers);
    pack_rows<T, T>(pointers, rows.d, c.shift, c.scale, work.tile);
    Scores<T> scores;
    score_tile<T, kSecond>(work.tile, rows.d, c.packed, scores);
    Index<T> index[R];
    std::memcpy(index, scores.index, sizeof index);
    set_labels(task, list, first, here, id, index);
    if constexpr (kSecond) {
      T norm[R], second[R];
      tile_norms(work.tile, rows.d, norm);
      std::memcpy(second, scores.second, sizeof second);
      for (std::size_t r = 0; r < here; ++r) {
        task.bounds->lower[id[r]] = lower_bound(norm[r], second[r], c.max_norm, c.packed.slack);
      }
    }
  }
}

// A first look in single precision. Where best and second best differ by more than rounding (of both precisions) can
// make, the label is the one double precision gives; the other rows, few as a rule, are scored again.
template <bool kSecond>
void score_twice(const PaddedRows<double>& rows, const Centers<double>& c, const LeafTask<double>& task, Work<double>& work,
                 const std::int32_t* list, std::size_t count) {
  constexpr int R = kRowTile<float>;
  const float max_norm = static_cast<float>(c.max_norm) * (1 + 4 * kUlp<float>);
  std::size_t n_unsure = 0;
  for (std::size_t first = 0; first < count; first += R) {
    const std::size_t here = count - first < std::size_t(R) ? count - first : std::size_t(R);
    std::size_t id[R];
    const double* pointers[R];
    find_rows(rows, task, list, first, here, id, pointers);
    pack_rows<double, float>(pointers, rows.d, c.shift, c.scale, work.single_tile);
    Scores<float> scores;
    score_tile<float, true>(work.single_tile, rows.d, c.single, scores);
    float norm[R], best[R], second[R];
    std::int32_t index[R];
    tile_norms(work.single_tile, rows.d, norm);
    std::memcpy(best, scores.best, sizeof best);
    std::memcpy(second, scores.second, sizeof second);
    std::memcpy(index, scores.index, sizeof index);
    for (std::size_t r = 0; r < here; ++r) {
      const float size = std::sqrt(norm[r]) + max_norm;
      const bool sure = best[r] - second[r] > 0.5f * c.single.slack * size * size;  // false for inf and NaN
      task.label[id[r]] = index[r];
      if constexpr (kSecond) {
        task.bounds->lower[id[r]] = lower_bound(norm[r], second[r], max_norm, c.single.slack);
      }
      work.unsure[n_unsure] = static_cast<std::int32_t>(id[r] - task.lo);
      n_unsure += !sure;
    }
  }
  score_exactly<double, kSecond>(rows, c, task, work, work.unsure, n_unsure);
}

// Scores the rows list[0 … count-1] (offsets from lo), or the first `count` rows of the leaf without a list.
template <class T, bool kSecond>
void score_rows(const PaddedRows<T>& rows, const Centers<T>& c, const LeafTask<T>& task, Work<T>& work,
                const std::int32_t* list, std::size_t count) {
  if constexpr (!kSecond) {
    if (c.differences.values && !list) return score_directly(rows, c, task);
  }
  if constexpr (sizeof(T) == sizeof(double)) {
    if (c.single.values) return score_twice<kSecond>(rows, c, task, work, list, count);
  }
  score_exactly<T, kSecond>(rows, c, task, work, list, count);
}

template <class T, bool kSecond, class I>
void score_rows(const CsrRows<T, I>& rows, const Centers<T>& c, const LeafTask<T>& task, Work<T>&,
                const std::int32_t* list, std::size_t count) {
  constexpr int W = kLanes<T>, kChunk = 8;
  for (std::size_t q = 0; q < count; ++q) {
    const std::size_t i = task.lo + (list ? std::size_t(list[q]) : q);
    const std::size_t begin = std::size_t(rows.indptr[i]), end = std::size_t(rows.indptr[i + 1]);
    T best = -std::numeric_limits<T>::infinity(), second = best;
    std::int32_t label = 0;
    for (std::size_t block = 0; block < c.packed.k_pad; block += W * kChunk) {
      const std::size_t left = (c.packed.k_pad - block) / W;
      const int n_vecs = left < kChunk ? static_cast<int>(left) : kChunk;
      Vec<T> acc[kChunk];
      for (int v = 0; v < n_vecs; ++v) acc[v] = load(c.packed.offset + block + v * W);
      for (std::size_t e = begin; e < end; ++e) {
        const Vec<T> value = splat(rows.data[e] * c.scale);
        const T* column = c.packed.values + std::size_t(rows.indices[e]) * c.packed.k_pad + block;
        for (int v = 0; v < n_vecs; ++v) acc[v] += value * load(column + v * W);
      }
      for (int v = 0; v < n_vecs; ++v) {
        T s[W];
        store(s, acc[v]);
        for (int lane = 0; lane < W; ++lane) {
          const bool wins = s[lane] > best;
          if constexpr (kSecond) {
            const T loser = wins ? best : s[lane];
            second = loser > second ? loser : second;
          }
          label = wins ? static_cast<std::int32_t>(block + v * W + lane) : label;
          best = wins ? s[lane] : best;
        }
      }
    }
    task.label[i] = label;
    if constexpr (kSecond) {
      T norm = 0;
      for (std::size_t e = begin; e < end; ++e) {
        const T v = rows.data[e] * c.scale;
        norm += v * v;
      }
      task.bounds->lower[i] = lower_bound(norm, second, c.max_norm, c.packed.slack);
    }
  }
}

}  // namespace
}  // namespace surefit::SUREFIT_LEVEL
