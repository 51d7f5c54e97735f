// A part of the rows of a forest whose trees are grown elsewhere: its rows of every node, and sums over them.
//
// Nodes have numbers: the roots of the trees first, then for every split its left and its right child. What is added up
// over parts has no order (forest_sums.hpp).
#pragma once

#include <memory>
#include <vector>

#include "tree/forest_sums.hpp"

namespace surefit::forest {

struct PartTotals {
  std::int64_t n = 0, rows = 0;  // examples, and the rows they stand for
  Totals totals;
};

// The examples of a node, to be grown from elsewhere; where each of the four is written to. Either `codes` or `y`.
struct PartItems {
  std::uint8_t* bins;
  std::int32_t* codes;
  double* y;
  double* weights;
  std::int32_t* rows;
};

class Part {
 public:
  virtual ~Part() = default;
  // The examples must outlive the part; the bags need not.
  static std::unique_ptr<Part> make(const Examples& examples, Criterion criterion);

  virtual void start(const std::vector<Bag>& bags) = 0;
  virtual std::size_t n_nodes() const = 0;
  virtual void split(std::size_t node, std::size_t feature, const std::uint8_t* goes_left) = 0;
  virtual PartTotals totals(std::size_t node) const = 0;
  // cells: 256 × (classes, or weight and sum) for each feature; counts: 256 for each, or null. `all`: of all parts.
  virtual Rest histograms(std::size_t node, const Totals& all, const std::int64_t* features, std::size_t n_features,
                          double* cells, std::int64_t* counts) = 0;
  virtual std::size_t n_items(std::size_t node) const = 0;
  virtual void write_items(std::size_t node, const PartItems& out) const = 0;
};

}  // namespace surefit::forest
