// k-means: what the driver (kmeans.cpp) and the loops over one leaf (kmeans_leaf.cpp, one per vector level) share.
// Plain data only: functions here would be compiled at several vector levels under one name.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit::kmeans {

// Two kinds of rows. The dense one may be read `stride - d` values past the end of a row, except for the last rows of
// the block, of which `tail` keeps padded copies.
template <class T>
struct Dense {
  using Scalar = T;
  static constexpr bool sparse = false;
  const T* x;
  std::size_t n, d, stride;
  const T* tail;
  std::size_t tail_from;
};

template <class T, class I>
struct Csr {
  using Scalar = T;
  static constexpr bool sparse = true;
  const T* data;
  const I* indices;
  const I* indptr;
  std::size_t n, d, stride;
};

// c' = c − shift in blocks of `centre_block` centres, feature by feature (dense), or (d, k_pad) (CSR);
// offset: −½‖c'‖², and −inf for the centres that only fill the last block.
template <class T>
struct PackedCentres {
  std::size_t k_pad;
  T* values;
  T* offset;
  T slack;  // scores are trusted up to slack · ½(‖x'‖ + max‖c'‖)²
};

// Centres as the loops want them. Coordinates are multiplied by `scale`, a power of two that keeps squares in range.
//   own      (k, stride)  c, for distances and update sums
//   shift    times scale
//   single   the same rounded to float, for a first look at double rows (values: nullptr if there is none)
template <class T>
struct Centres {
  std::size_t k, d, stride;
  T* own;
  T* shift;
  double* own_sq_norm;
  PackedCentres<T> packed;
  PackedCentres<float> single;
  T scale, max_norm;
};

// Bounds that let a row keep its label unseen: upper ≥ distance to its centre, lower ≤ distance to every other one.
template <class T>
struct Bounds {
  T* upper;
  T* lower;
  const T* drift;    // how far each centre has moved since the bounds were stored
  const T* nearest;  // distance from each centre to the closest other one (0: not known)
  T largest_drift, second_drift;
  std::int32_t fastest;  // the centre of largest_drift
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
  double* sq_dist;              // of the block, to the own centre; nullptr: not wanted
  const Bounds<T>* bounds;      // nullptr: none kept
  bool update;                  // whether the node is wanted
};

// Buffers of one thread.
template <class T>
struct Work {
  T* tile;               // d × row_tile
  float* single_tile;    // d × row_tile floats of the same bytes: twice as many rows
  std::int32_t* unsure;  // leaf_rows: rows the first look did not settle
  std::int32_t* list;    // leaf_rows: rows of the leaf that must be scored, then its rows cluster by cluster
  std::int32_t* start;   // k + 1: where the rows of each cluster start in the list
  double* sq_dist;       // leaf_rows
};

template <class Rows>
struct LeafLoops {
  using T = typename Rows::Scalar;
  std::size_t row_tile, centre_block;
  void (*pack)(const double* centres, Centres<T>& out);
  void (*leaf)(const Rows&, const Centres<T>&, const LeafTask<T>&, Work<T>&, Node&);
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
  void (*pack)(const Dense<T>&, const std::int64_t* order, std::size_t lo, std::size_t hi, T scale, T* tiles);
  void (*round)(const SeedRows<T>&, std::size_t lo, std::size_t hi, const T* trials, std::size_t n_trials,
                T* nearest, const T* chosen, T* distances, std::size_t distance_stride, double* potential);
};

}  // namespace surefit::kmeans

// Declares the tables of one level, by overloads on a tag pointer.
#define SUREFIT_KMEANS_TABLES(level)                                                                        \
  namespace surefit::level {                                                                                \
  const kmeans::LeafLoops<kmeans::Dense<float>>& lloyd_loops(const kmeans::Dense<float>*);                  \
  const kmeans::LeafLoops<kmeans::Dense<double>>& lloyd_loops(const kmeans::Dense<double>*);                \
  const kmeans::LeafLoops<kmeans::Csr<float, std::int32_t>>& lloyd_loops(const kmeans::Csr<float, std::int32_t>*);   \
  const kmeans::LeafLoops<kmeans::Csr<float, std::int64_t>>& lloyd_loops(const kmeans::Csr<float, std::int64_t>*);   \
  const kmeans::LeafLoops<kmeans::Csr<double, std::int32_t>>& lloyd_loops(const kmeans::Csr<double, std::int32_t>*); \
  const kmeans::LeafLoops<kmeans::Csr<double, std::int64_t>>& lloyd_loops(const kmeans::Csr<double, std::int64_t>*); \
  const kmeans::SeedLoops<float>& seed_loops(const float*);                                                 \
  const kmeans::SeedLoops<double>& seed_loops(const double*);                                               \
  }
