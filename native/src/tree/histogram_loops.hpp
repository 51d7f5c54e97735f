// The loops of histogram trees over rows and over bins, compiled for each vector level (all give the same bits).
#pragma once

#include "histogram_cells.hpp"
#include "surefit/simd.hpp"

namespace surefit::histogram {

constexpr double kLeastHessian = 1e-3;  // of each side of a split

// What a split must leave on both sides, and what the steps of its sides are divided by beside H.
struct Limits {
  double l2, min_weight;
};

template <class Kind>
struct KindLoops {
  // Adds rows[lo … hi − 1] (with `rows` null: lo … hi − 1 themselves) to d × 256 cells: cell (j, b) is the sum over
  // the rows whose feature j is in bin b. `bins` is row by row.
  void (*fill)(const std::uint8_t* bins, std::size_t d, const std::uint32_t* rows, std::size_t lo, std::size_t hi,
               const typename Kind::Row* statistics, int shift, typename Kind::Cell* cells);

  // score[b] = G_l²/(H_l + l2) + G_r²/(H_r + l2) with `start` and the cells 0 … b to the left, −∞ where a side is less
  // than the limits; b = 0 … n − 1, n ≤ 256, and `score` has room for 256.
  void (*scores)(const typename Kind::Cell* cells, const typename Kind::Cell& start, std::size_t n, const Grid& grid,
                 const Sums& all, const Limits& limits, double* score);
};

struct Loops {
  KindLoops<Same> same;
  KindLoops<Counted> counted;
  KindLoops<Three> three;

  double (*largest)(const double* v, std::size_t n);  // |v|, missing ones aside

  // Whole numbers of units next to g and h (h null: one): those of the pairs of Same and Counted.
  void (*pairs)(const double* g, const double* h, std::size_t n, double per_g, double per_h, Pair* out);

  template <class Kind>
  const KindLoops<Kind>& of() const {
    if constexpr (std::is_same_v<Kind, Same>) return same;
    else if constexpr (std::is_same_v<Kind, Counted>) return counted;
    else return three;
  }
};

}  // namespace surefit::histogram

SUREFIT_TABLES(histogram::Loops, histogram_loops)
