// The k nearest rows found so far, by (distance, index), kept where the answer goes: few of them in order, many as a heap
// with the farthest on top.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace surefit::search {

class NearestList {
 public:
  NearestList() = default;
  NearestList(double* distances, std::int64_t* ids, std::size_t k) : distances_(distances), ids_(ids), k_(k) {}

  bool full() const { return size_ == k_; }
  double worst() const { return distances_[k_ <= kFew ? size_ - 1 : 0]; }
  std::int64_t worst_id() const { return ids_[k_ <= kFew ? size_ - 1 : 0]; }

  // Returns whether the row was taken.
  bool add(double distance, std::int64_t id) {
    if (k_ <= kFew) return insert(distance, id);
    if (size_ < k_) {
      distances_[size_] = distance;
      ids_[size_] = id;
      rise(size_++);
      return true;
    }
    if (!before(distance, id, distances_[0], ids_[0])) return false;
    sink(distance, id, size_);
    return true;
  }

  // Nearest first; nothing can be added afterwards.
  void sort() {
    if (k_ <= kFew) return;
    for (std::size_t end = size_; end-- > 1;) {
      const double distance = distances_[end];
      const std::int64_t id = ids_[end];
      distances_[end] = distances_[0];
      ids_[end] = ids_[0];
      sink(distance, id, end);
    }
  }

 private:
  static constexpr std::size_t kFew = 24;

  static bool before(double d1, std::int64_t i1, double d2, std::int64_t i2) {
    return d1 < d2 || (d1 == d2 && i1 < i2);
  }

  bool insert(double distance, std::int64_t id) {
    if (size_ == k_ && !before(distance, id, distances_[k_ - 1], ids_[k_ - 1])) return false;
    std::size_t i = size_ < k_ ? size_++ : k_ - 1;
    for (; i > 0 && before(distance, id, distances_[i - 1], ids_[i - 1]); --i) {
      distances_[i] = distances_[i - 1];
      ids_[i] = ids_[i - 1];
    }
    distances_[i] = distance;
    ids_[i] = id;
    return true;
  }

  void rise(std::size_t i) {
    while (i > 0) {
      const std::size_t up = (i - 1) / 2;
      if (!before(distances_[up], ids_[up], distances_[i], ids_[i])) return;
      std::swap(distances_[up], distances_[i]);
      std::swap(ids_[up], ids_[i]);
      i = up;
    }
  }

  // From the top of a heap of `size`, whose top is free.
  void sink(double distance, std::int64_t id, std::size_t size) {
    std::size_t i = 0;
    for (std::size_t child = 1; child < size; child = 2 * i + 1) {
      if (child + 1 < size && before(distances_[child], ids_[child], distances_[child + 1], ids_[child + 1])) ++child;
      if (!before(distance, id, distances_[child], ids_[child])) break;
      distances_[i] = distances_[child];
      ids_[i] = ids_[child];
      i = child;
    }
    distances_[i] = distance;
    ids_[i] = id;
  }

  double* distances_ = nullptr;
  std::int64_t* ids_ = nullptr;
  std::size_t k_ = 0, size_ = 0;
};

}  // namespace surefit::search
