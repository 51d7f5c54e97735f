// What the passes over rows in classes share: the class of a row, weights of classes, and the fold of tables of numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

#include "class_statistics.hpp"
#include "surefit/fold.hpp"

namespace surefit::class_statistics {

using Table = std::unique_ptr<double[]>;

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_class(std::size_t i, std::int32_t c, std::size_t n_classes) {
  throw std::invalid_argument("row " + std::to_string(i) + " has class " + std::to_string(c) + ", outside 0 … " +
                              std::to_string(n_classes) + " - 1");
}

template <class X>
SUREFIT_INLINE std::size_t class_of(const LabelledRows<X>& rows, std::size_t i) {
  const std::int32_t c = rows.classes[i];
  if (c < 0 || static_cast<std::size_t>(c) >= rows.n_classes) refuse_class(i, c, rows.n_classes);
  return static_cast<std::size_t>(c);
}

// Σ w of the classes of rows [lo, hi), into weights (zeros before).
template <class X>
void class_weights(const LabelledRows<X>& rows, std::size_t lo, std::size_t hi, double* weights) {
  for (std::size_t i = lo; i < hi; ++i) weights[class_of(rows, i)] += rows.weight(i);
}

// Rows [lo, hi).
template <class T>
LabelledRows<DenseRows<T>> part(const LabelledRows<DenseRows<T>>& rows, std::size_t lo, std::size_t hi) {
  return {{rows.x.row(lo).x, hi - lo, rows.x.d}, rows.classes + lo, rows.n_classes, rows.w ? rows.w + lo : nullptr};
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

// leaf(lo, hi, table) fills a table of `size` zeros; merge(left, right) merges tables; the root is copied to `out`.
template <class Leaf, class Merge>
void fold_tables(std::size_t n_rows, std::size_t leaf_rows, int n_threads, std::size_t size, double* out, Leaf&& leaf,
                 Merge&& merge) {
  const Table all = fold_leaves(
      n_rows, leaf_rows, n_threads,
      [&](std::size_t lo, std::size_t hi, int) {
        Table table(new double[size]());
        leaf(lo, hi, table.get());
        return table;
      },
      [&](Table& left, Table& right) { merge(left.get(), right.get()); });
  if (all) {
    std::copy_n(all.get(), size, out);
  } else {
    std::fill_n(out, size, 0.0);
  }
}

template <class Leaf>
void fold_sums(std::size_t n_rows, std::size_t leaf_rows, int n_threads, std::size_t size, double* out, Leaf&& leaf) {
  fold_tables(n_rows, leaf_rows, n_threads, size, out, leaf, [size](double* left, const double* right) {
    for (std::size_t j = 0; j < size; ++j) left[j] += right[j];
  });
}

}  // namespace surefit::class_statistics
