// Splits of nodes whose rows are elsewhere, from the merged sums of their parts (forest_part.hpp).
#pragma once

#include <memory>
#include <vector>

#include "tree/forest_search.hpp"

namespace surefit::forest {

struct MergedNode {
  std::size_t depth;
  std::int64_t n_samples;
  double root_weight;          // of its tree; negative: this is the root
  const double* class_weight;  // of its tree, or null
  Totals totals;
};

struct MergedAnswer {
  Split split;
  bool more = false;  // features that were given are constant: others have to be looked at
  double impurity, weight;
};

// Bins, rows and targets of `examples` are not looked at.
class Merged {
 public:
  virtual ~Merged() = default;
  static std::unique_ptr<Merged> make(const Examples& examples, const Rules& rules);

  // The weight of a node, and whether it may be split.
  virtual std::pair<double, bool> look(const MergedNode& node) = 0;
  // From histograms of the first few features in the order of the node; appends its value.
  virtual MergedAnswer search(const MergedNode& node, const Rest& rest, const std::int64_t* features,
                              std::size_t n_features, const double* cells, const std::int64_t* counts,
                              std::vector<double>& value) = 0;
};

}  // namespace surefit::forest
