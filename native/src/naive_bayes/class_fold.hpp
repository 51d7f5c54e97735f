// What the passes over rows in classes share: weights of classes, and the fold of tables of sums over leaves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

#include "class_statistics.hpp"
#include "engine/fold_tree.hpp"
#include "surefit/parallel.hpp"

namespace surefit {

inline constexpr double kSerialWork = 1e5;  // numbers; below, threads cost more than they save

using Table = std::unique_ptr<double[]>;

inline int threads_for(double work, int n_threads) { return work < kSerialWork || n_threads < 1 ? 1 : n_threads; }

// Σ w of the classes of rows [lo, hi), into weights (zeros before).
template <class Rows>
void class_weights(const Rows& rows, std::size_t lo, std::size_t hi, double* weights) {
  for (std::size_t i = lo; i < hi; ++i) {
    const std::int32_t c = rows.classes[i];
    if (c < 0 || static_cast<std::size_t>(c) >= rows.n_classes) {
      throw std::invalid_argument("row " + std::to_string(i) + " has class " + std::to_string(c) +
                                  ", outside 0 … " + std::to_string(rows.n_classes) + " - 1");
    }
    weights[c] += rows.w ? rows.w[i] : 1.0;
  }
}

class SeenByAll {
 public:
  void add(const Seen& seen) {
    std::lock_guard lock(mutex_);
    all_.negative |= seen.negative;
    all_.not_finite |= seen.not_finite;
  }
  Seen all() const { return all_; }

 private:
  std::mutex mutex_;
  Seen all_;
};

// leaf(lo, hi, table) fills a table of `size` zeros; combine(left, right) merges; the root is copied to `out`.
inline void fold(std::size_t n_rows, std::size_t leaf_rows, int n_threads, std::size_t size, double* out,
          const std::function<void(std::size_t, std::size_t, double*)>& leaf,
          const std::function<void(double*, const double*)>& combine) {
  const std::size_t n_leaves = (n_rows + leaf_rows - 1) / leaf_rows;
  if (n_leaves == 0) {
    std::fill_n(out, size, 0.0);
    return;
  }
  FoldTree<Table, std::function<void(Table&, Table&)>> tree(
      n_leaves, [&](Table& left, Table& right) { combine(left.get(), right.get()); });
  parallel_for(n_leaves, n_threads, [&](std::size_t i, int) {
    Table table(new double[size]());
    const std::size_t lo = i * leaf_rows, hi = std::min(n_rows, lo + leaf_rows);
    leaf(lo, hi, table.get());
    tree.add(i, std::move(table));
  });
  std::copy_n(tree.root().get(), size, out);
}

inline void fold_sums(std::size_t n_rows, std::size_t leaf_rows, int n_threads, std::size_t size, double* out,
               const std::function<void(std::size_t, std::size_t, double*)>& leaf) {
  fold(n_rows, leaf_rows, n_threads, size, out, leaf, [size](double* left, const double* right) {
    for (std::size_t j = 0; j < size; ++j) left[j] += right[j];
  });
}

}  // namespace surefit
