// Rows of one block that are near a point: the inner loops, for each vector level.
//
// A block holds the coordinates of its rows column by column: coordinate j of row k at x[j · stride + k]. The loops
// read a few rows more than they are asked for: behind the last coordinate there is room for kPadding more.
#pragma once

#include <cstddef>
#include <cstdint>

#include "surefit/simd.hpp"

namespace surefit::dbscan {

constexpr std::size_t kPadding = 8;

struct Block {
  const double* x;
  std::size_t stride;
};

// q: the point, d coordinates. `limit` bounds the sum (or maximum) of the formula.
struct Near {
  // How many of the rows 0 … n−1 are near; stops early once there are `enough`.
  std::size_t (*count)(Block b, std::size_t n, const double* q, std::size_t d, double limit, std::size_t enough);
  // The first near row among from … n−1, or n.
  std::size_t (*next)(Block b, std::size_t from, std::size_t n, const double* q, std::size_t d, double limit);
  // The near rows among 0 … n−1, in their order; returns how many. `rows` has room for n + 1.
  std::size_t (*list)(Block b, std::size_t n, const double* q, std::size_t d, double limit, std::uint32_t* rows);
};

constexpr std::size_t kWrittenDimensions = 5;  // 1 … 4 unrolled, 0 for any number

struct NearTable {
  Near near[3][kWrittenDimensions];  // by norm and dimension
};

}  // namespace surefit::dbscan

SUREFIT_TABLES(dbscan::NearTable, dbscan_near)
