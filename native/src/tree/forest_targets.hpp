// What the rows of a node are counted by: classes or numbers.
//
// Each kind offers: Item (a row in a node: its example, its weight, its target), the statistics of a node, a histogram
// over the bins of one feature, orders of its bins, and the decrease of the weighted impurity between a left and a right
// part. `one_order`: the best set of bins is among the first ones of order 0. Decreases are written without differences of nearly equal numbers: with L, R the weights of the two sides and W = L + R,
//
//   Gini           Σₖ (lₖ R − rₖ L)² / (W L R)
//   entropy        Σₖ lₖ log(lₖ W / (L tₖ)) + rₖ log(rₖ W / (R tₖ))
//   squared error  S² W / (L R),  S the left sum of targets that are centered in the node
//   Poisson        Sₗ log(Sₗ W / (L S)) + Sᵣ log(Sᵣ W / (R S)),  sums of the targets themselves
#pragma once

#include "tree/forest_classes.hpp"
#include "tree/forest_numbers.hpp"
