// Class sums of CSR rows. A table of all classes and features may be far larger than what a leaf holds (words in texts):
// then there is no table for each leaf, but the sum of every cell is made on its own, in the same fixed tree. Adding a
// zero changes no bit, so both ways give the same sums.
#include <algorithm>
#include <cmath>
#include <vector>

#include "class_fold.hpp"
#include "engine/cell_tree.hpp"

namespace surefit {
namespace {

constexpr double kSparser = 4;  // no tables where they have so many times the cells of an average leaf's entries

template <class T, class Index>
void check_sparse(const SparseClassRows<T, Index>& rows) {
  if (rows.indptr[0] != 0) throw std::invalid_argument("indptr does not start with 0");
  for (std::size_t i = 0; i < rows.n_rows; ++i) {
    if (rows.indptr[i + 1] < rows.indptr[i]) throw std::invalid_argument("indptr falls");
  }
  if (static_cast<std::size_t>(rows.indptr[rows.n_rows]) > rows.n_stored) {
    throw std::invalid_argument("indptr points beyond the stored entries");
  }
}

template <class T, class Index>
Seen sparse_leaf(const SparseClassRows<T, Index>& rows, const double* threshold, std::size_t lo, std::size_t hi,
                 double* sums) {
  Seen seen;
  for (std::size_t i = lo; i < hi; ++i) {
    const std::size_t first = static_cast<std::size_t>(rows.classes[i]) * rows.n_features;
    const double w = rows.w ? rows.w[i] : 1.0;
    const auto end = static_cast<std::size_t>(rows.indptr[i + 1]);
    for (auto e = static_cast<std::size_t>(rows.indptr[i]); e < end; ++e) {
      const Index j = rows.indices[e];
      if (j < 0 || static_cast<std::size_t>(j) >= rows.n_features) {
        throw std::invalid_argument("a column is out of range");
      }
      const double x = static_cast<double>(rows.data[e]);
      seen.negative |= x < 0;
      seen.not_finite |= !(x * 0 == 0);
      const std::size_t cell = first + static_cast<std::size_t>(j);
      sums[cell] += threshold ? (x > *threshold ? w : 0.0) : w * x;
    }
  }
  return seen;
}

// One class after the other: its entries are sorted by column (counting, so that rows stay in order), then every column
// is summed by itself.
template <class T, class Index>
Seen sums_by_columns(const SparseClassRows<T, Index>& rows, const double* threshold, std::size_t leaf_rows,
                     int n_threads, double* weights, double* sums) {
  const std::size_t d = rows.n_features;
  fold_sums(rows.n_rows, leaf_rows, 1, rows.n_classes, weights,
            [&](std::size_t lo, std::size_t hi, double* table) { class_weights(rows, lo, hi, table); });
  std::vector<std::vector<std::size_t>> of_class(rows.n_classes);
  for (std::size_t i = 0; i < rows.n_rows; ++i) of_class[static_cast<std::size_t>(rows.classes[i])].push_back(i);
  SeenByAll seen;
  parallel_for(rows.n_classes, n_threads, [&](std::size_t c, int) {
    Seen here;
    std::vector<std::size_t> next(d + 1);  // where the next entry of a column goes; in the end, where the column ends
    for (const std::size_t i : of_class[c]) {
      const auto end = static_cast<std::size_t>(rows.indptr[i + 1]);
      for (auto e = static_cast<std::size_t>(rows.indptr[i]); e < end; ++e) {
        const Index j = rows.indices[e];
        if (j < 0 || static_cast<std::size_t>(j) >= d) throw std::invalid_argument("a column is out of range");
        ++next[static_cast<std::size_t>(j) + 1];
      }
    }
    for (std::size_t j = 0; j < d; ++j) next[j + 1] += next[j];
    struct Entry {
      std::size_t leaf;
      double value;
    };
    std::vector<Entry> entries(next[d]);
    for (const std::size_t i : of_class[c]) {
      const double w = rows.w ? rows.w[i] : 1.0;
      const auto end = static_cast<std::size_t>(rows.indptr[i + 1]);
      for (auto e = static_cast<std::size_t>(rows.indptr[i]); e < end; ++e) {
        const double x = static_cast<double>(rows.data[e]);
        here.negative |= x < 0;
        here.not_finite |= !(x * 0 == 0);
        const double value = threshold ? (x > *threshold ? w : 0.0) : w * x;
        entries[next[static_cast<std::size_t>(rows.indices[e])]++] = {i / leaf_rows, value};
      }
    }
    CellTree tree;
    for (std::size_t j = 0, at = 0; j < d; ++j) {
      for (; at < next[j]; ++at) tree.add(entries[at].leaf, entries[at].value);
      sums[c * d + j] = tree.finish();
    }
    seen.add(here);
  });
  return seen.all();
}

}  // namespace

template <class T, class Index>
Seen class_sums(const SparseClassRows<T, Index>& rows, const double* threshold, std::size_t leaf_rows, int n_threads,
                double* weights, double* sums) {
  const std::size_t C = rows.n_classes, cells = C * rows.n_features;
  check_sparse(rows);
  n_threads = threads_for(static_cast<double>(rows.n_stored), n_threads);
  const double n_leaves = std::ceil(static_cast<double>(rows.n_rows) / static_cast<double>(leaf_rows));
  if (rows.n_rows > 0 && static_cast<double>(cells) * n_leaves > kSparser * static_cast<double>(rows.n_stored)) {
    return sums_by_columns(rows, threshold, leaf_rows, n_threads, weights, sums);
  }
  SeenByAll seen;
  Table all(new double[C + cells]);
  fold_sums(rows.n_rows, leaf_rows, n_threads, C + cells, all.get(),
            [&](std::size_t lo, std::size_t hi, double* table) {
              class_weights(rows, lo, hi, table);
              seen.add(sparse_leaf(rows, threshold, lo, hi, table + C));
            });
  std::copy_n(all.get(), C, weights);
  std::copy_n(all.get() + C, cells, sums);
  return seen.all();
}

#define SUREFIT_SPARSE(T, Index)                                                                                      \
  template Seen class_sums(const SparseClassRows<T, Index>&, const double*, std::size_t, int, double*, double*);
SUREFIT_SPARSE(float, std::int32_t)
SUREFIT_SPARSE(float, std::int64_t)
SUREFIT_SPARSE(double, std::int32_t)
SUREFIT_SPARSE(double, std::int64_t)


}  // namespace surefit
