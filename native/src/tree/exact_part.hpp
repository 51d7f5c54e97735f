// The sorted lists of some rows, divided again and again as nodes are split: a node is the same range of places in
// every list. Entries are row numbers (the large nodes) or, for a subtree, short numbers of its own rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tree/exact_problem.hpp"

namespace surefit::exact_tree {

template <class Id>
struct Part {
  static constexpr Id kId = static_cast<Id>(~kNew<Id>);

  const Columns* columns;
  std::size_t m;              // rows in all
  Id* lists;                  // d lists of m entries
  Id* rows;                   // the rows in ascending order
  const Row* row_of;          // number → row; nullptr: the number is the row
  std::uint8_t* goes_left;    // by number
  Targets targets;

  Id* list(std::size_t j) const { return lists + j * m; }
  double value(Id entry, std::size_t j) const {
    const std::size_t i = entry & kId;
    return columns->value(row_of ? row_of[i] : i, j);
  }

  // Entries of a node without a value: the last run of equal ones, if it is NaN.
  std::size_t n_missing(const Node& node, std::size_t j) const {
    const Id* list = this->list(j);
    if (!columns->missing[j] || !std::isnan(value(list[node.end - 1], j))) return 0;
    std::size_t first = node.end - 1;
    while (first > node.start && !(list[first] & kNew<Id>)) --first;
    return node.end - first;
  }

  bool constant(const Node& node, std::size_t j) const {
    const double a = value(list(j)[node.start], j), b = value(list(j)[node.end - 1], j);
    return a == b || (std::isnan(a) && std::isnan(b));
  }

  // Which rows of the node go left. out: how many.
  std::size_t mark(const Node& node, const Split& split) const {
    const std::size_t j = static_cast<std::size_t>(split.feature);
    const Id* list = this->list(j) + node.start;
    const std::size_t size = node.size(), present = size - n_missing(node, j);
    std::size_t n_left = split.missing_left ? size - present : 0;
    mark(list, present, size, split.missing_left);
    if (!split.by_set) {
      mark(list, 0, split.n_first, true), mark(list, split.n_first, present, false);
      return n_left + split.n_first;
    }
    for (std::size_t first = 0, last = 1; first < present; first = last++) {
      while (last < present && !(list[last] & kNew<Id>)) ++last;
      const auto code = static_cast<std::size_t>(value(list[first], j));
      const bool left = split.set[code >> 6] >> (code & 63) & 1;
      mark(list, first, last, left);
      n_left += left ? last - first : 0;
    }
    return n_left;
  }
  void mark(const Id* list, std::size_t first, std::size_t last, bool left) const {
    for (std::size_t i = first; i < last; ++i) {
      if constexpr (sizeof(Id) == sizeof(Row)) {
        __builtin_prefetch(goes_left + (list[std::min(i + kAhead, last - 1)] & kId), 1, 2);
      }
      goes_left[list[i] & kId] = left;
    }
  }

  // The left entries to the front, in order. An entry is new where one was passed over since the last on its side.
  void divide(Id* list, std::size_t size, Id* space) const {
    std::size_t n_left = 0, n_right = 0;
    Id new_left = kNew<Id>, new_right = kNew<Id>;
    for (std::size_t i = 0; i < size; ++i) {
      const Id entry = list[i], number = entry & kId, fresh = entry & kNew<Id>;
      if constexpr (sizeof(Id) == sizeof(Row)) {
        __builtin_prefetch(goes_left + (list[std::min(i + kAhead, size - 1)] & kId), 0, 2);
      }
      const bool left = goes_left[number];
      new_left |= fresh, new_right |= fresh;
      list[n_left] = number | new_left, space[n_right] = number | new_right;
      n_left += left, n_right += !left;
      new_left = left ? Id{0} : new_left, new_right = left ? new_right : Id{0};
    }
    std::memcpy(list + n_left, space, n_right * sizeof(Id));
  }
};

}  // namespace surefit::exact_tree
