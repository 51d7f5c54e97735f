// The best stump (tree of one split) of weighted rows in several classes, for boosting: columns are sorted once, and a
// round is one scan of each.
//
// A split puts the rows with x ≤ threshold on its left. With W the weight of a side and c_k that of its class k, the
// weighted Gini impurity of the side is
//
//     W − Σ_k c_k² / W,        for two classes, with D = c₁ − c₀,        (W − D)(W + D) / (2 W),
//
// and the best split has the least sum of both. Sums that differ by at most kTie of the impurity of all rows are equal;
// among equal ones the lowest column wins, then the lowest threshold.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit::stumps {

inline constexpr double kTie = 1e-12;

// Row numbers of each column in ascending order of its values (equal ones by number). A number is written as its
// complement (−1 − row) where the next value is larger: a threshold fits behind it.
template <class T>
void sort_columns(const T* columns, std::size_t n, std::size_t d, int n_threads, std::int32_t* order);

struct Rows {
  const std::int32_t* order;  // d × n, from sort_columns
  const std::int32_t* codes;  // the class of each row: 0 … n_classes − 1
  const double* w;            // all ≥ 0, not all 0
  std::size_t n, d, n_classes;
};

struct Split {
  std::int64_t feature = -1;  // −1: no column has two values
  std::int64_t place = 0;     // the threshold lies behind this place of the sorted column
};

Split best_split(const Rows& rows, int n_threads);

}  // namespace surefit::stumps
