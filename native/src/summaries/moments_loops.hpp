// The vector part of the moments: what moments_loops.cpp provides for each vector level.
//
// Columns go in panels of `width` (the last one padded with zeros). A packed chunk holds K rows of deviations, panel
// by panel: packed[panel][k][column], panels `stride` doubles apart. The products are kept as the blocks i ≤ j of
// width × width, block (i, j) at number j (j + 1) / 2 + i, entry (r, c) of it at c · width + r.
#pragma once

#include <cstddef>

#include "surefit/simd.hpp"

namespace surefit::moments {

// Rows of a chunk: their packed deviations stay in the second-level cache.
constexpr std::size_t kChunkRows = 256;

// Weight and mean of the rows of a leaf seen so far; mean has n_panels · width entries, zero in the padding. The mean is
// mean + low, low what rounding takes from an offset: steps between means are then as exact as the deviations are.
// Null where only the rounded mean is wanted.
struct RunningMean {
  double weight;
  double* mean;
  double* low;
};

// A chunk of rows that count (weight ≠ 0), and space to work in. Columns 0 … n_whole·width-1 are read from x, all others
// (the rest of x, then the targets) from tail, whose rows are n_tail·width wide.
template <class T>
struct Chunk {
  std::size_t n_rows;
  const T* const* x;
  std::size_t n_whole, n_tail;
  const double* tail;
  const double* w;         // weights and their square roots; null when every row counts once
  const double* sqrt_w;
  double* sums;            // n_panels · width
  double* packed;
  std::size_t stride;      // ≥ (n_rows + 1) · width
};

// Rows that will be packed next. A tile asks for `step` bytes of them every kAheadEvery of its own rows: they come
// while it computes, and never so many at once that its own loads wait.
constexpr std::size_t kAheadEvery = 16;
struct Ahead {
  const char* at;
  const char* end;
  std::size_t step;
};

struct Loops {
  std::size_t width;
  std::size_t reach;       // panels in the long side of a tile
  // Packs the deviations from the chunk's own mean, each times the square root of its weight, and one more row for the
  // step between the chunk's mean and the running one; moves the running mean on. Returns the number of rows packed.
  std::size_t (*pack_f32)(const Chunk<float>&, RunningMean&);
  std::size_t (*pack_f64)(const Chunk<double>&, RunningMean&);
  // blocks (i, j), first ≤ i < first + reach, i ≤ j: products of a packed chunk, stored (fresh) or added.
  // One tile for each j.
  void (*update)(const double* packed, std::size_t stride, std::size_t n_rows, std::size_t n_panels,
                 std::size_t first, double* blocks, bool fresh, Ahead ahead);
};

}  // namespace surefit::moments

SUREFIT_TABLES(moments::Loops, moments_loops)
