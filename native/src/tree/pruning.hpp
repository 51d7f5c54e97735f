// Cost-complexity pruning, all penalties at once.
//
// The cost of a subtree with leaves L at penalty α is Σ_{t ∈ L} R(t) + α |L|. The least cost below node t,
//     f_t(α) = min(R(t) + α, f_left(α) + f_right(α)),
// is concave and piecewise linear in α; its slope is the number of leaves of the best subtree. Going up from the leaves,
// node t becomes a leaf at the α where R(t) + α meets f_left + f_right. The kinks of that sum above the meeting point are
// never seen and go for good, so with heaps that can be merged all of it costs O(n log n), however deep the tree is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit::trees {

// For each node: the α at which it becomes a leaf (∞ if it is one, or vanishes first with a node above it), and by how
// much Σ R rises and the number of leaves falls then. Values of α that differ by a relative 1e-12 are equal: the node
// above takes those below with it. Children come after their parent.
void pruning_steps(const std::int32_t* left, const std::int32_t* right, const double* cost, std::size_t n, double* alpha,
                   double* rise, std::int64_t* fall);

}  // namespace surefit::trees
