// The fixed tree over leaves (surefit/parallel.hpp) for the sum of one cell, where most leaves have nothing to add.
#pragma once

#include <bit>
#include <cstddef>

namespace surefit {

// Two neighbours among the leaves that have something merge at the lowest node above both: in the binary numbers of
// their leaves, the highest digit that differs. Lower nodes merge first. Adding a zero changes no bit, so the sum is
// that of the whole tree.
class CellTree {
 public:
  // Leaves come in rising order; several values of one leaf are added up first.
  void add(std::size_t leaf, double value) {
    if (size_ > 0 && leaf == leaf_) {
      stack_[size_ - 1].sum += value;
      return;
    }
    const int height = size_ == 0 ? 0 : std::bit_width(leaf ^ leaf_);
    while (size_ > 1 && stack_[size_ - 1].height < height) merge();
    stack_[size_++] = {0.0 + value, height};
    leaf_ = leaf;
  }
  double finish() {
    while (size_ > 1) merge();
    const double sum = size_ == 0 ? 0.0 : stack_[0].sum;
    size_ = 0;
    return sum;
  }

 private:
  struct Node {
    double sum;
    int height;  // of the node above this one and the one before it
  };
  void merge() {
    --size_;
    stack_[size_ - 1].sum += stack_[size_].sum;
  }
  Node stack_[66];  // heights fall along the stack
  int size_ = 0;
  std::size_t leaf_ = 0;
};

}  // namespace surefit
