// Register tiles for k-means: rows turned so that a vector holds one feature of many rows, and the scores
// x'·c' − ½‖c'‖² of such a tile against all centers with the largest (and second largest) kept as they come.
// Included by vector sources only; everything is in the namespace of the level.
#pragma once

#ifdef SUREFIT_LEVEL_v4
#include <immintrin.h>
#endif

#include <cstdint>
#include <limits>
#include <utility>

#include "cluster/kmeans_leaf.hpp"
#include "surefit/simd.hpp"

namespace surefit::SUREFIT_LEVEL {

// kRowVecs × kCenterBlock accumulators, kRowVecs row vectors and one broadcast fill the register file.
#if defined(SUREFIT_LEVEL_v4)
constexpr int kRowVecs = 3, kCenterBlock = 8;
#elif defined(SUREFIT_LEVEL_v3)
constexpr int kRowVecs = 2, kCenterBlock = 6;
#else
constexpr int kRowVecs = 2, kCenterBlock = 4;
#endif
template <class T>
constexpr int kRowTile = kRowVecs * kLanes<T>;

template <class T>
struct IndexOf;
template <>
struct IndexOf<float> {
  using type = std::int32_t;
};
template <>
struct IndexOf<double> {
  using type = std::int64_t;
};
template <class T>
using Index = typename IndexOf<T>::type;

template <class T, int N>
struct ShortVecOf {
  typedef T type __attribute__((vector_size(N * sizeof(T))));
};
template <class T, int N>
using ShortVec = typename ShortVecOf<T, N>::type;

template <class V, std::size_t... I>
inline auto join(V a, V b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, static_cast<int>(I)...);
}
template <class V, std::size_t... I>
inline V even_lanes(V a, V b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, static_cast<int>(2 * I)...);
}
template <class V, std::size_t... I>
inline V odd_lanes(V a, V b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, static_cast<int>(2 * I + 1)...);
}

// kLanes<double> values as doubles.
template <class T>
inline Vec<double> load_double(const T* p) {
  if constexpr (sizeof(T) == sizeof(double)) {
    return load(p);
  } else {
#ifdef SUREFIT_LEVEL_v4  // the generic conversion is done in halves
    return _mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(p));
#else
    ShortVec<T, kLanes<double>> v;
    std::memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, Vec<double>);
#endif
  }
}

// S features of one row as T, scaled and shifted in the row's own type.
template <class From, class T, int S>
inline ShortVec<T, S> load_features(const From* x, const From* shift, From scale) {
  if constexpr (sizeof(From) == sizeof(T)) {
    ShortVec<T, S> v, s;
    std::memcpy(&v, x, sizeof v);
    std::memcpy(&s, shift, sizeof s);
    return v * scale - s;
#ifdef SUREFIT_LEVEL_v4  // the generic conversion is done in halves
  } else if constexpr (S == 16) {
    return join(load_features<From, T, 8>(x, shift, scale), load_features<From, T, 8>(x + 8, shift + 8, scale),
                std::make_index_sequence<16>());
  } else if constexpr (S == 8) {
    return _mm512_maskz_cvtpd_ps(0xff, load(x) * scale - load(shift));
#endif
  } else {
    ShortVec<From, S> v, s;
    std::memcpy(&v, x, sizeof v);
    std::memcpy(&s, shift, sizeof s);
    v = v * scale - s;
    return __builtin_convertvector(v, ShortVec<T, S>);
  }
}

// N lanes from N/S rows: features j … j+S−1 of each.
template <class From, class T, int S, int N>
inline ShortVec<T, N> load_rows(const From* const* rows, std::size_t j, const From* shift, From scale) {
  if constexpr (N == S) {
    return load_features<From, T, S>(rows[0] + j, shift + j, scale);
  } else {
    return join(load_rows<From, T, S, N / 2>(rows, j, shift, scale),
                load_rows<From, T, S, N / 2>(rows + N / 2 / S, j, shift, scale), std::make_index_sequence<N>());
  }
}

// kLanes rows × S features, turned. Read as one array with address (row, feature) the S vectors hold bits r…r f…f; each
// unshuffle turns the address by one bit to the right, so log2 S of them put the feature in front: (feature, row).
template <class From, class T, int S>
inline void turn_rows(const From* const* rows, std::size_t j, std::size_t n_features, const From* shift, From scale,
                      T* out) {
  constexpr int W = kLanes<T>;
  Vec<T> v[S], u[S];
#pragma GCC unroll 16
  for (int q = 0; q < S; ++q) v[q] = load_rows<From, T, S, W>(rows + q * (W / S), j, shift, scale);
#pragma GCC unroll 4
  for (int stage = 1; stage < S; stage *= 2) {
#pragma GCC unroll 16
    for (int p = 0; p < S / 2; ++p) {
      u[p] = even_lanes(v[2 * p], v[2 * p + 1], std::make_index_sequence<W>());
      u[p + S / 2] = odd_lanes(v[2 * p], v[2 * p + 1], std::make_index_sequence<W>());
    }
#pragma GCC unroll 16
    for (int p = 0; p < S; ++p) v[p] = u[p];
  }
#pragma GCC unroll 16
  for (int q = 0; q < S; ++q) {
    if (j + q < n_features) store(out + (j + q) * kRowTile<T>, v[q]);
  }
}

// tile[feature][row] of kRowTile rows, in the type of the tile.
template <class From, class T>
void pack_rows(const From* const* rows, std::size_t d, const From* shift, From scale, T* tile) {
  constexpr int W = kLanes<T>;
  for (int v = 0; v < kRowVecs; ++v) {
    const From* const* group = rows + v * W;
    T* out = tile + v * W;
    std::size_t j = 0;
    for (; j + W <= d; j += W) turn_rows<From, T, W>(group, j, d, shift, scale, out);
    const std::size_t rest = d - j;
    if (rest == 0) continue;
    if (rest <= 2) {
      turn_rows<From, T, 2>(group, j, d, shift, scale, out);
    } else if (W <= 4 || rest <= 4) {
      turn_rows<From, T, (W < 4 ? W : 4)>(group, j, d, shift, scale, out);
    } else if (W <= 8 || rest <= 8) {
      turn_rows<From, T, (W < 8 ? W : 8)>(group, j, d, shift, scale, out);
    } else {
      turn_rows<From, T, W>(group, j, d, shift, scale, out);
    }
  }
}

template <class T>
struct Scores {
  Vec<T> best[kRowVecs], second[kRowVecs];
  Vec<Index<T>> index[kRowVecs];
};

// Among equal scores the first center wins: a later one replaces it only if strictly larger.
template <class T, bool kSecond>
void score_tile(const T* tile, std::size_t d, const kmeans::PackedCenters<T>& c, Scores<T>& out) {
  constexpr int V = kRowVecs, B = kCenterBlock;
  const T none = -std::numeric_limits<T>::infinity();
  Vec<T> best[V], second[V];
  Vec<Index<T>> index[V];
  for (int v = 0; v < V; ++v) {
    best[v] = second[v] = splat<T>(none);
    index[v] = Vec<Index<T>>{};
  }
  const T* packed = c.values;
  for (std::size_t block = 0; block < c.k_pad; block += B) {
    Vec<T> acc[B][V];
#pragma GCC unroll 8
    for (int b = 0; b < B; ++b) {
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) acc[b][v] = splat(c.offset[block + b]);
    }
    const T* x = tile;
    for (std::size_t j = 0; j < d; ++j, x += kRowTile<T>, packed += B) {
      Vec<T> xv[V];
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) xv[v] = load(x + v * kLanes<T>);
#pragma GCC unroll 8
      for (int b = 0; b < B; ++b) {
        const Vec<T> cb = splat(packed[b]);
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) acc[b][v] += xv[v] * cb;
      }
    }
#pragma GCC unroll 8
    for (int b = 0; b < B; ++b) {
      const Vec<Index<T>> here = splat(static_cast<Index<T>>(block + b));
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) {
        const Vec<T> s = acc[b][v];
        const auto wins = s > best[v];
        if constexpr (kSecond) {
          const Vec<T> loser = wins ? best[v] : s;
          second[v] = loser > second[v] ? loser : second[v];
        }
        index[v] = wins ? here : index[v];
        best[v] = wins ? s : best[v];
      }
    }
  }
  for (int v = 0; v < V; ++v) {
    out.best[v] = best[v];
    out.index[v] = index[v];
    if constexpr (kSecond) out.second[v] = second[v];
  }
}

}  // namespace surefit::SUREFIT_LEVEL
