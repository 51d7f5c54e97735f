// k-means++ over one leaf of rows kept in tiles: distances to all trials of a round at once, the running minimum, and the
// potential each trial would leave. Distances are sums of squared differences: zero for equal rows, whatever the offset.
#include "cluster/kmeans_tile.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using kmeans::PaddedRows;
using kmeans::SeedLoops;
using kmeans::SeedRows;

template <class T>
void pack_leaf(const PaddedRows<T>& rows, const std::int64_t* order, std::size_t lo, std::size_t hi, T scale, T* tiles) {
  constexpr int R = kRowTile<T>;
  for (std::size_t first = lo; first < hi; first += R) {
    const T* pointers[R];
    for (std::size_t r = 0; r < std::size_t(R); ++r) {
      const std::size_t i = static_cast<std::size_t>(order[first + r < hi ? first + r : hi - 1]);
      pointers[r] = rows.padded(i);
    }
    T* tile = tiles + (first - lo) * rows.d;
    pack_rows<T, T>(pointers, rows.d, rows.zeros(), scale, tile);  // no shift
  }
}

// kTrials trials t0 … of the round against one tile
template <class T, int kTrials>
inline void tile_trials(const T* tile, std::size_t d, const T* trials, Vec<T> (&sq)[kTrials][kRowVecs]) {
  for (int t = 0; t < kTrials; ++t) {
    for (int v = 0; v < kRowVecs; ++v) sq[t][v] = Vec<T>{};
  }
  for (std::size_t j = 0; j < d; ++j, tile += kRowTile<T>) {
    Vec<T> x[kRowVecs];
#pragma GCC unroll 4
    for (int v = 0; v < kRowVecs; ++v) x[v] = load(tile + v * kLanes<T>);
#pragma GCC unroll 8
    for (int t = 0; t < kTrials; ++t) {
      const Vec<T> c = splat(trials[t * d + j]);
#pragma GCC unroll 4
      for (int v = 0; v < kRowVecs; ++v) {
        const Vec<T> diff = x[v] - c;
        sq[t][v] += diff * diff;
      }
    }
  }
}

template <class T, int kTrials>
void some_trials(const SeedRows<T>& rows, std::size_t lo, std::size_t hi, const T* trials, const T* nearest,
                 T* distances, std::size_t distance_stride, double* potential) {
  constexpr int R = kRowTile<T>, W = kLanes<T>, D = kLanes<double>;
  Vec<double> sum[kTrials] = {};
  for (std::size_t first = lo; first < hi; first += R) {
    Vec<T> sq[kTrials][kRowVecs];
    tile_trials<T, kTrials>(rows.tiles + first * rows.d, rows.d, trials, sq);
#pragma GCC unroll 8
    for (int t = 0; t < kTrials; ++t) {
      T least[R];
      for (int v = 0; v < kRowVecs; ++v) {
        store(distances + t * distance_stride + first + v * W, sq[t][v]);
        const Vec<T> m = load(nearest + first + v * W);
        store(least + v * W, sq[t][v] < m ? sq[t][v] : m);
      }
      for (int part = 0; part < R; part += D) sum[t] += load(rows.w + first + part) * load_double(least + part);
    }
  }
  for (int t = 0; t < kTrials; ++t) {
    double lanes[D], total = 0;
    store(lanes, sum[t]);
    for (int lane = 0; lane < D; ++lane) total += lanes[lane];
    potential[t] = total;
  }
}

template <class T>
void round_leaf(const SeedRows<T>& rows, std::size_t lo, std::size_t hi, const T* trials, std::size_t n_trials,
                T* nearest, const T* chosen, T* distances, std::size_t distance_stride, double* potential) {
  constexpr int R = kRowTile<T>, W = kLanes<T>;
  if (chosen) {
    for (std::size_t i = lo; i < hi; i += R) {
      for (int v = 0; v < kRowVecs; ++v) {
        const Vec<T> m = load(nearest + i + v * W), c = load(chosen + i + v * W);
        store(nearest + i + v * W, c < m ? c : m);
      }
    }
  }
  std::size_t t = 0;
  const auto some = [&]<int kTrials>() {
    some_trials<T, kTrials>(rows, lo, hi, trials + t * rows.d, nearest, distances + t * distance_stride,
                            distance_stride, potential + t);
    t += kTrials;
  };
  constexpr std::size_t kMost = kVectorRegisters >= 32 ? 8 : 4;
  while (t < n_trials) {
    const std::size_t left = n_trials - t;
    if (kMost == 8 && left >= 8) some.template operator()<8>();
    else if (kMost == 8 && left == 7) some.template operator()<7>();
    else if (kMost == 8 && left == 6) some.template operator()<6>();
    else if (kMost == 8 && left == 5) some.template operator()<5>();
    else if (left == 5 || left == 6 || left == 3) some.template operator()<3>();
    else if (left >= 4) some.template operator()<4>();
    else if (left == 2) some.template operator()<2>();
    else some.template operator()<1>();
  }
}

template <class T>
constexpr SeedLoops<T> kSeed{kRowTile<T>, pack_leaf<T>, round_leaf<T>};

}  // namespace

extern const kmeans::SeedLoopsOfAll kmeans_seed_loops;
const kmeans::SeedLoopsOfAll kmeans_seed_loops{kSeed<float>, kSeed<double>};

}  // namespace surefit::SUREFIT_LEVEL
