#include "tree/forest.hpp"

#include <memory>

#include "tree/forest_tree.hpp"

namespace surefit::forest {
namespace {

template <class Target>
std::vector<Grown> grow_with(const Examples& examples, const Rules& rules, const std::vector<Bag>& bags,
                             std::int32_t* outside, int n_threads) {
  std::vector<Grown> trees(bags.size());
  std::vector<std::unique_ptr<TreeGrower<Target>>> growers(static_cast<std::size_t>(n_threads < 1 ? 1 : n_threads));
  std::atomic<bool> stop{false};
  parallel_for(bags.size(), n_threads, [&](std::size_t t, int thread) {
    auto& grower = growers[static_cast<std::size_t>(thread)];
    if (!grower) grower = std::make_unique<TreeGrower<Target>>(examples, rules, stop);
    try {
      grower->grow(bags[t], trees[t], thread);
      if (outside && !stop) grower->outside(bags[t], trees[t], outside + t * examples.n);
    } catch (...) {
      stop = true;
      throw;
    }
  });
  return trees;
}

template <class Target>
std::vector<Grown> grow_below(const Examples& examples, const Rules& rules, const double* weights,
                              const std::vector<Subtree>& nodes, int n_threads) {
  std::vector<Grown> trees(nodes.size());
  std::vector<std::unique_ptr<TreeGrower<Target>>> growers(static_cast<std::size_t>(n_threads < 1 ? 1 : n_threads));
  std::atomic<bool> stop{false};
  parallel_for(nodes.size(), n_threads, [&](std::size_t t, int thread) {
    auto& grower = growers[static_cast<std::size_t>(thread)];
    if (!grower) grower = std::make_unique<TreeGrower<Target>>(examples, rules, stop);
    grower->grow_below(nodes[t], weights, trees[t], thread);
  });
  return trees;
}

}  // namespace

std::vector<Grown> grow(const Examples& examples, const Rules& rules, const std::vector<Bag>& bags,
                        std::int32_t* outside, int n_threads) {
  if (examples.n_classes == 0) return grow_with<Numbers>(examples, rules, bags, outside, n_threads);
  if (examples.n_classes == 2) return grow_with<Classes<2>>(examples, rules, bags, outside, n_threads);
  return grow_with<Classes<0>>(examples, rules, bags, outside, n_threads);
}

std::vector<Grown> grow_subtrees(const Examples& examples, const Rules& rules, const double* weights,
                                 const std::vector<Subtree>& nodes, int n_threads) {
  if (examples.n_classes == 0) return grow_below<Numbers>(examples, rules, weights, nodes, n_threads);
  if (examples.n_classes == 2) return grow_below<Classes<2>>(examples, rules, weights, nodes, n_threads);
  return grow_below<Classes<0>>(examples, rules, weights, nodes, n_threads);
}

}  // namespace surefit::forest
