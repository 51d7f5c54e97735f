// Vector loops over kLeafRows rows side by side, [column][place]: rows of a leaf, or queries of a batch. A mask has one
// bit for each place. Compiled without fused products (form.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "search/form.hpp"
#include "search/kd_tree.hpp"

namespace surefit::search {

struct LeafLoops {
  // raw of one row against each of kLeafRows; returns where it is at most `limit`.
  std::uint32_t (*rows)(const Form&, const double* row, const double* leaf, std::size_t d, double limit, double* raw);
  // Lower bounds of raw of kLeafRows queries to the box; returns where they are at most the query's own limit.
  std::uint32_t (*nearest)(const Form&, const double* queries, const double* low, const double* high, std::size_t d,
                           const double* limits, double* raw);
  // Upper bounds of raw of kLeafRows queries to the box; returns where they are at most `limit`.
  std::uint32_t (*farthest)(const Form&, const double* queries, const double* low, const double* high, std::size_t d,
                            double limit, double* raw);
  // Where bounds[place] ≤ limits[place].
  std::uint32_t (*below)(const double* bounds, const double* limits);
};

}  // namespace surefit::search

SUREFIT_TABLES(search::LeafLoops, search_leaf_loops)
