// A tree put together from pieces: nodes behind nodes, sets of categories in the order of their nodes.
#pragma once

#include <utility>

#include "tree/exact_problem.hpp"

namespace surefit::exact_tree {

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from, std::size_t first, std::size_t last,
            std::size_t width = 1) {
  to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(first * width),
            from.begin() + static_cast<std::ptrdiff_t>(last * width));
}

// Nodes first … last − 1 of a piece behind those of a tree; children and sets keep the numbers of their piece.
inline void append(Grown& to, const Grown& from, std::size_t first, std::size_t last, std::size_t width) {
  append(to.left, from.left, first, last), append(to.right, from.right, first, last);
  append(to.feature, from.feature, first, last), append(to.count, from.count, first, last);
  append(to.category_row, from.category_row, first, last), append(to.threshold, from.threshold, first, last);
  append(to.impurity, from.impurity, first, last), append(to.weight, from.weight, first, last);
  append(to.missing_left, from.missing_left, first, last), append(to.value, from.value, first, last, width);
}

inline void order_sets(Grown& tree) {
  std::vector<CategorySet> sets;
  sets.reserve(tree.categories.size());
  for (std::int64_t& row : tree.category_row) {
    if (row < 0) continue;
    sets.push_back(tree.categories[static_cast<std::size_t>(row)]);
    row = static_cast<std::int64_t>(sets.size()) - 1;
  }
  tree.categories = std::move(sets);
}

}  // namespace surefit::exact_tree
