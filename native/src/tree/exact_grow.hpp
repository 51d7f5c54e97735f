// Exact CART trees: at every node the best split of all, under the tie rule (exact_search.hpp).
#pragma once

#include "tree/exact_problem.hpp"

namespace surefit::exact_tree {

// out: the nodes in preorder (max_leaf_nodes: in order of creation); leaf (n): the leaf of every row with weight,
// −1 for others.
Grown grow(const Columns& columns, const Targets& targets, const Options& options, std::int64_t* leaf);

}  // namespace surefit::exact_tree
