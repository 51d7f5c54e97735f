// Impurities of a node and the decrease by a split: what every criterion offers to the search.
//
//   start(rows, m)        a node: its weight, its value, its weighted impurity W·I (averaged over outputs)
//   empty, add, merge     `Left`: what has gone left so far
//   decrease(left)        W·I(node) − W_l·I(left) − W_r·I(right)
//   exceeds(left, best)   false only if the decrease is not larger than best: cheaper, no divisions, no logarithms
//   order(left, k)        categories are tried in the order of this number, for k = 0 … n_orders − 1
//   ordered()             the best subset of categories is among those (one number, two classes: a theorem)
//   prefetch(row)         the row will be added soon (if there is such a function)
//   kMerges, kSlow        `merge` is there; a row takes more than a fraction of a microsecond
//
// Decreases have forms without cancellation: with a the sums left and t the sums of the node,
//
//     squared error, Gini    Σ (a·W − t·W_l)² / (W·W_l·W_r)
//     entropy                Σ a log₂(a·W / (W_l·t)) + (t − a) log₂((t − a)·W / (W_r·t))      over classes
//     Poisson                the same sum, natural logarithms, a and t the sums of the targets
//
// and since log x ≤ x − 1 the last two are at most  Σ (a·W − t·W_l)² / (t·W_l·W_r)  (χ² bounds the information).
#pragma once

#include "tree/exact_problem.hpp"

namespace surefit::exact_tree {

// Sums of several columns.
struct Sums {
  double* sum = nullptr;
  double weight = 0;
};

}  // namespace surefit::exact_tree
