// One tree from histograms: the leaf with the largest gain is split next (ties: the one created first).
//
// Only the smaller child's histogram is counted; the other's is the parent's less it, exactly, since all are integers.
#pragma once

#include <memory>

#include "histogram_rows.hpp"
#include "histogram_split.hpp"

namespace surefit::histogram {

struct Options {
  Rules rules;
  std::size_t max_leaves = 0;  // 0: no limit; then nodes stand depth first, left before right
  std::size_t max_depth = 0;   // 0: no limit
  double max_features = 1;     // the share of features that each node may choose from
  std::uint64_t seed = 0;
  const std::uint8_t* groups = nullptr;  // (n_groups, d): features that may stand on one path
  std::size_t n_groups = 0;
  int n_threads = 1;
};

struct Grown {
  std::vector<std::int64_t> left, right, feature, bin, n_rows, first_row;
  std::vector<std::uint8_t> missing_left, categorical;
  std::vector<std::uint64_t> sets;  // four words for each node
  std::vector<double> value, score, weight, hessian, gradient;
};

// The memory of a fit, used again for each of its trees. `order` holds the rows of every leaf side by side afterwards.
struct Memory {
  std::vector<std::uint32_t> order, scratch;
  std::vector<std::unique_ptr<Aligned<Four>>> slots;  // histograms
  std::vector<std::size_t> free;
};

Grown grow(const BinnedRows& rows, const std::vector<Feature>& features, const Statistics& statistics,
           const Options& options, Memory& memory);

}  // namespace surefit::histogram
