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

}  // namespace

std::vector<Grown> grow(const Examples& examples, const Rules& rules, const std::vector<Bag>& bags,
                        std::int32_t* outside, int n_threads) {
  if (examples.n_classes == 0) return grow_with<Numbers>(examples, rules, bags, outside, n_threads);
  if (examples.n_classes == 2) return grow_with<Classes<2>>(examples, rules, bags, outside, n_threads);
  return grow_with<Classes<0>>(examples, rules, bags, outside, n_threads);
}

}  // namespace surefit::forest
