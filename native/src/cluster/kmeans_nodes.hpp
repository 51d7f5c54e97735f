// The statistics of leaves on their way up the fixed tree.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "cluster/kmeans_leaf.hpp"
#include "surefit/aligned.hpp"

namespace surefit::kmeans {

struct NodeStore {
  Aligned<double> weight, sums;
  Aligned<unsigned char> is_touched;
  Aligned<std::size_t> touched;
  Node node{};
};
using NodePointer = std::unique_ptr<NodeStore>;

// Hands out nodes that are all zeros. A node that was merged into another is zeros again, at the cost of what it held.
class Nodes {
 public:
  Nodes(std::size_t k, std::size_t n_sums, std::size_t span) : k_(k), n_sums_(n_sums), span_(span) {}

  NodePointer take() {
    {
      std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        NodePointer last = std::move(free_.back());
        free_.pop_back();
        return last;
      }
    }
    NodePointer fresh = std::make_unique<NodeStore>();
    fresh->weight.reset(k_);
    fresh->sums.reset(n_sums_);
    fresh->is_touched.reset(n_sums_ / span_);
    fresh->touched.reset(n_sums_ / span_, false);
    fresh->node = {fresh->weight.data(), fresh->sums.data(), fresh->is_touched.data(), fresh->touched.data(), 0, 0.0, 0};
    return fresh;
  }

  // left ← left + right; right is given back.
  void merge(Node& left, NodePointer right) {
    add(left, right->node);
    std::lock_guard lock(mutex_);
    free_.push_back(std::move(right));
  }

 private:
  // left ← left + right, right ← 0. Sums start from +0, so that a span left out equals one added as zeros.
  void add(Node& left, Node& right) const {
    for (std::size_t c = 0; c < k_; ++c) {
      left.weight[c] += right.weight[c];
      right.weight[c] = 0;
    }
    for (std::size_t t = 0; t < right.n_touched; ++t) {
      const std::size_t which = right.touched[t];
      if (!left.is_touched[which]) {
        left.is_touched[which] = 1;
        left.touched[left.n_touched++] = which;
      }
      right.is_touched[which] = 0;
      double* a = left.sums + which * span_;
      double* b = right.sums + which * span_;
      for (std::size_t j = 0; j < span_; ++j) {
        a[j] += b[j];
        b[j] = 0;
      }
    }
    left.inertia += right.inertia;
    left.fingerprint += right.fingerprint;
    right.n_touched = 0;
    right.inertia = 0;
    right.fingerprint = 0;
  }

  std::size_t k_, n_sums_, span_;
  std::mutex mutex_;
  std::vector<NodePointer> free_;
};

}  // namespace surefit::kmeans
