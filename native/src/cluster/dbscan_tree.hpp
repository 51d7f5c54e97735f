// Leaves of a k-d tree: a node is cut at the median of its widest column until it is tight or small.
#pragma once

#include <cstddef>
#include <vector>

#include "dbscan_groups.hpp"

namespace surefit::dbscan {

class Tree {
 public:
  struct Node {
    Position first = 0, last = 0;       // groups first … last−1 below it
    std::uint32_t left = 0, right = 0;  // children; none: one group
  };
  struct Stack {
    std::vector<std::uint32_t> nodes;
  };

  template <class T>
  void sort(const DenseRows<T>& x, double scale, int n_threads, Groups& groups);

  const Node& node(std::size_t i) const { return node_[i]; }
  std::size_t size() const { return node_.size(); }

  // visit(group) for the leaves that may hold neighbors of a group's rows, nearer ones first, without itself. Whole
  // subtrees are left out where skip(node) says so. visit returns false to stop.
  template <class Visit, class Skip>
  void neighbors(const Groups& groups, std::size_t group, Stack& stack, Visit&& visit, Skip&& skip) const {
    stack.nodes.assign(1, 0);
    while (!stack.nodes.empty()) {
      const std::uint32_t at = stack.nodes.back();
      stack.nodes.pop_back();
      const Node& node = node_[at];
      if (from_group(groups, group, at) > groups.limit || skip(at)) continue;
      if (node.left == 0) {
        if (node.first != group && !visit(std::size_t{node.first})) return;
        continue;
      }
      const bool left_first = from_group(groups, group, node.left) <= from_group(groups, group, node.right);
      stack.nodes.push_back(left_first ? node.right : node.left);
      stack.nodes.push_back(left_first ? node.left : node.right);
    }
  }

 private:
  struct Range {
    Position first, last;
  };

  void number_groups(const std::vector<Range>& range, Groups& groups);

  double from_group(const Groups& g, std::size_t group, std::uint32_t node) const {
    const double* low = box_.data() + 2 * g.d * node;
    return nearest(g.norm, g.d, g.low(group), g.high(group), low, low + g.d);
  }

  std::vector<Node> node_;
  std::vector<double> box_;  // of each node: d lower and d upper corners
};

}  // namespace surefit::dbscan
