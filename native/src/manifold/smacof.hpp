// One look at a configuration for SMACOF: its stress, and the sums of the Guttman transform, in one pass over half the
// pairs.
//
//   stress  = sum_{i<j} w_ij (delta_ij - d_ij)^2       d_ij = |x_i - x_j|
//   sq_dist = sum_{i<j} w_ij d_ij^2
//   g_i     = sum_j  w_ij (delta_ij / d_ij) (x_i - x_j)        0 where d_ij = 0
//
// Numbers of pairs are condensed: (0,1), (0,2), ..., (0,n-1), (1,2), ... The pairs are cut into at most kTasks runs of
// rows i; each adds up its own sums over j, which are added in the order of the runs: the same bits on any number of
// threads.
#pragma once

#include <cstddef>

#include "surefit/simd.hpp"

namespace surefit::smacof {

inline constexpr std::size_t kMostColumns = 512;

struct Pairs {
  const double* x;      // p columns of n coordinates
  std::size_t n, p;
  const double* delta;  // condensed
  const double* w;      // condensed, or null: all are 1
  double* d;            // condensed distances are written here, unless null
};

struct Sums {
  double stress, sq_dist;
};

// Rows first ... last-1 against all later ones; g: p columns of n sums, to which is added.
struct Loops {
  Sums (*rows)(const Pairs& pairs, std::size_t first, std::size_t last, double* g);
};

// x: n rows of p coordinates; g: n x p
Sums look(const double* x, std::size_t n, std::size_t p, const double* delta, const double* w, double* d, int n_threads,
          double* g);

// Place of the pair (i, i+1) among the condensed ones.
inline std::size_t row_start(std::size_t n, std::size_t i) { return i * (2 * n - i - 1) / 2; }

}  // namespace surefit::smacof

SUREFIT_TABLES(smacof::Loops, smacof_loops)
