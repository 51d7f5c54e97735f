// k-means: what the driver (kmeans.cpp) and the loops over one leaf (kmeans_leaf.cpp, one per vector level) share.
// Plain data only: functions here would be compiled at several vector levels under one name.
#pragma once

#include <cstddef>
#include <cstdint>

#include "surefit/rows.hpp"

namespace surefit::kmeans {

// Dense rows that may be read up to `stride` values from their beginning: the last rows of the block have padded copies
// in `tail`, and behind those comes a row of zeros.
template <class T>
struct PaddedRows : DenseRows<T> {
  std::size_t stride;
  const T* tail;
  std::size_t tail_from;

  SUREFIT_INLINE const T* padded(std::size_t i) const {
    return i < tail_from ? this->x + i * this->d : tail + (i - tail_from) * stride;
  }
  SUREFIT_INLINE const T* zeros() const { return tail + (this->n - tail_from) * stride; }
};

// c' = c − shift in blocks of `center_block` centers, feature by feature (dense), or (d, k_pad) (CSR);
// offset: −½‖c'‖², and −inf for the centers that only fill the last block.
template <class T>
struct PackedCenters {
  std::size_t k_pad;
  T* values;
  T* offset;
  T slack;  // scores are trusted up to slack · ½(‖x'‖ + max‖c'‖)²
};

// Few centers, each by its difference from the first: c − c₀ (k − 1 rows of `stride` values, padded with zeros) and
// −½(‖c'‖² − ‖c₀'‖²). values: nullptr where there are many, or rows too short to be read vector by vector.
template <class T>
struct CenterDifferences {
  T* values;
  T* offset;
};

// Centers as the loops want them. Coordinates are multiplied by `scale`, a power of two that keeps squares in range.
//   own      (k, stride)  c, for distances and update sums
//   shift    times scale
//   single   the same rounded to float, for a first look at double rows (values: nullptr if there is none)
template <class T>
struct Centers {
  std::size_t k, d, stride;
  T* own;
  T* shift;
  double* own_sq_norm;
  PackedCenters<T> packed;
  PackedCenters<float> single;
  CenterDifferences<T> differences;
  T scale, max_norm;
};

// Bounds that let a row keep its label unseen: upper ≥ distance to its center, lower ≤ distance to every other one.
template <class T>
struct Bounds {
  T* upper;
  T* lower;
  const T* drift;    // how far each center has moved since the bounds were stored
  const T* nearest;  // distance from each center to the closest other one (0: not known)
  T largest_drift, second_drift;
  std::int32_t fastest;  // the center of largest_drift
  bool valid;            // the bounds of the last pass may be used
};

// The statistic of a run of leaves. Only the touched spans of `sums` are not zero: a span is a row of k×stride sums
// (dense) or one entry of it (CSR).
struct Node {
  double* weight;
  double* sums;
  unsigned char* is_touched;
  std::size_t* touched;
  std::size_t n_touched;
  double inertia;
  std::uint64_t fingerprint;
};

template <class T>
struct LeafTask {
  std::size_t lo, hi;           // rows of the leaf
  std::uint64_t first_row;      // number of row 0 of the block in the whole data
  const double* w;              // nullptr: all one
  std::int32_t* label;          // of the block
  double* sq_dist;              // of the block, to the own center; nullptr: not wanted
  const Bounds<T>* bounds;      // nullptr: none kept
  bool update;                  // whether the node is wanted
};

// Buffers of one thread.
template <class T>
struct Work {
  T* tile;               // d × row_tile
  float* single_tile;    // d × row_tile floats of the same bytes: twice as many rows
  std::int32_t* unsure;  // leaf_rows: rows the first look did not decide
  std::int32_t* list;    // leaf_rows: rows of the leaf that must be scored, then its rows cluster by cluster
  std::int32_t* start;   // k + 1: where the rows of each cluster start in the list
  double* sq_dist;       // leaf_rows
};

template <class Rows>
struct LeafLoops {
  using T = typename Rows::Scalar;
  std::size_t row_tile, center_block, shortest_direct;  // the last: columns from which few centers are scored row by row
  void (*pack)(const double* centers, Centers<T>& out);
  void (*leaf)(const Rows&, const Centers<T>&, const LeafTask<T>&, Work<T>&, Node&);
};

// Rows kept in tiles for seeding: tile t holds row_tile rows, feature by feature, padded with copies of a row of weight 0.
template <class T>
struct SeedRows {
  std::size_t n, d, row_tile;
  const T* tiles;
  const double* w;  // padded with zeros
};

// One round of k-means++ over rows [lo, hi): with `chosen` the distances to the trial that won the last round,
// nearest ← min(nearest, chosen), and potential[t] = Σ w · min(nearest, ‖x − trial_t‖²).
template <class T>
struct SeedLoops {
  std::size_t row_tile;
  void (*pack)(const PaddedRows<T>&, const std::int64_t* order, std::size_t lo, std::size_t hi, T scale, T* tiles);
  void (*round)(const SeedRows<T>&, std::size_t lo, std::size_t hi, const T* trials, std::size_t n_trials,
                T* nearest, const T* chosen, T* distances, std::size_t distance_stride, double* potential);
};

// One for each kind of rows.
struct LeafLoopsOfAll : LeafLoops<PaddedRows<float>>,
                        LeafLoops<PaddedRows<double>>,
                        LeafLoops<CsrF32I32>,
                        LeafLoops<CsrF32I64>,
                        LeafLoops<CsrF64I32>,
                        LeafLoops<CsrF64I64> {};
struct SeedLoopsOfAll : SeedLoops<float>, SeedLoops<double> {};

}  // namespace surefit::kmeans

SUREFIT_TABLES(kmeans::LeafLoopsOfAll, kmeans_leaf_loops)
SUREFIT_TABLES(kmeans::SeedLoopsOfAll, kmeans_seed_loops)
