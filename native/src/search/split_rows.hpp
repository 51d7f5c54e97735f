// The rows of a k-d tree while it is built: columns side by side, which splits put into the order of the nodes.
//
// A split keeps the order of the rows on either side. So the rows of a node are by rising number, and the tree depends
// on the rows alone: not on the number of threads, nor on how a library selects.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "surefit/aligned.hpp"
#include "surefit/rows.hpp"

namespace surefit::search {

// What a thread works in.
struct SplitSpace {
  std::vector<double> values, others;
  std::vector<std::int64_t> ids;
  std::vector<std::uint8_t> goes_left;
};

// Nodes that share no row may be split by several threads at once.
class SplitRows {
 public:
  template <class T>
  SplitRows(const DenseRows<T>& rows, int n_threads);

  const double* column(std::size_t j) const { return columns_.data() + j * n_; }
  const std::int64_t* ids() const { return ids_.data(); }  // the number of the row at each place

  // The box of rows lo … hi-1; returns the column where it is widest (no width there: nowhere).
  std::size_t bound(std::size_t lo, std::size_t hi, double* low, double* high) const;

  // Of rows lo … hi-1 the `half` smallest in `column` go left, of equal ones the first. Returns the least of the others.
  double split_by_rank(std::size_t lo, std::size_t hi, std::size_t half, std::size_t column, SplitSpace& space);

  // Rows below `value` in `column` go left, and the first n_ties of those equal to it. Returns how many went left.
  std::size_t split_by_value(std::size_t lo, std::size_t hi, std::size_t column, double value, std::size_t n_ties,
                             SplitSpace& space);

 private:
  std::size_t n_, d_;
  Aligned<double> columns_;
  Aligned<std::int64_t> ids_;
};

}  // namespace surefit::search
