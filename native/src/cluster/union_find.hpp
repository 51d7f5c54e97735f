// Disjoint sets that several threads may join at once.
//
// A root points at itself, everything else at something lower; sets are joined by pointing the higher root at the lower
// one. So the root of a set is its lowest element, whatever the order of the joins and the number of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace surefit {

class UnionFind {
 public:
  explicit UnionFind(std::size_t n) : parent_(new std::atomic<std::uint32_t>[n]) {
    for (std::size_t i = 0; i < n; ++i) parent_[i].store(static_cast<std::uint32_t>(i), std::memory_order_relaxed);
  }

  std::uint32_t find(std::uint32_t i) {
    for (;;) {
      std::uint32_t up = parent_[i].load(std::memory_order_relaxed);
      if (up == i) return i;
      const std::uint32_t above = parent_[up].load(std::memory_order_relaxed);
      if (above == up) return up;
      parent_[i].compare_exchange_weak(up, above, std::memory_order_relaxed);
      i = above;
    }
  }

  void join(std::uint32_t a, std::uint32_t b) {
    for (;;) {
      a = find(a);
      b = find(b);
      if (a == b) return;
      if (a < b) std::swap(a, b);
      std::uint32_t itself = a;
      if (parent_[a].compare_exchange_strong(itself, b, std::memory_order_relaxed)) return;
    }
  }

  bool together(std::uint32_t a, std::uint32_t b) { return find(a) == find(b); }

 private:
  std::unique_ptr<std::atomic<std::uint32_t>[]> parent_;
};

}  // namespace surefit
