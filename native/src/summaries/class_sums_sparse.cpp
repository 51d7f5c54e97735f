// Class sums of CSR rows. A table of all classes and features may be far larger than what a leaf holds (words in texts):
// then there is no table for each leaf, but the sum of every cell is made on its own, in the same fixed tree. Adding a
// zero changes no bit, so both ways give the same sums.
#include <algorithm>
#include <vector>

#include "class_fold.hpp"

namespace surefit::class_statistics {
namespace {

constexpr double kSparser = 4;  // no tables where they have so many times the cells of an average leaf's entries

// step(column, what the entry adds) for the entries of row i; returns what was seen.
template <class X, class Step>
Seen each_share(const LabelledRows<X>& rows, const double* threshold, std::size_t i, Step&& step) {
  Seen seen;
  const double w = rows.weight(i);
  rows.x.row(i).each([&](double x, std::size_t j, std::size_t) {
    seen.negative |= x < 0;
    seen.not_finite |= !(x * 0 == 0);
    step(j, threshold ? (x > *threshold ? w : 0.0) : w * x);
  });
  return seen;
}

void note(Seen& all, const Seen& seen) {
  all.negative |= seen.negative;
  all.not_finite |= seen.not_finite;
}

template <class X>
Seen sparse_leaf(const LabelledRows<X>& rows, const double* threshold, std::size_t lo, std::size_t hi, double* sums) {
  Seen seen;
  for (std::size_t i = lo; i < hi; ++i) {
    double* own = sums + static_cast<std::size_t>(rows.classes[i]) * rows.x.d;
    note(seen, each_share(rows, threshold, i, [&](std::size_t j, double share) { own[j] += share; }));
  }
  return seen;
}

// The sums of one class, whose rows are given: entries are sorted by column (counting, so that rows stay in order),
// then every column is summed by itself.
template <class X>
Seen sums_of_class(const LabelledRows<X>& rows, const double* threshold, const std::vector<std::size_t>& own,
                   std::size_t leaf_rows, double* sums) {
  struct Entry {
    std::size_t leaf;
    double value;
  };
  const std::size_t d = rows.x.d;
  std::vector<std::size_t> next(d + 1);  // where the next entry of a column goes; in the end, where the column ends
  for (const std::size_t i : own) {
    rows.x.row(i).each([&](double, std::size_t j, std::size_t) { ++next[j + 1]; });
  }
  for (std::size_t j = 0; j < d; ++j) next[j + 1] += next[j];
  std::vector<Entry> entries(next[d]);
  Seen seen;
  for (const std::size_t i : own) {
    note(seen, each_share(rows, threshold, i, [&](std::size_t j, double share) {
      entries[next[j]++] = {i / leaf_rows, share};
    }));
  }
  SparseSum sum;
  for (std::size_t j = 0, at = 0; j < d; ++j) {
    for (; at < next[j]; ++at) sum.add(entries[at].leaf, entries[at].value);
    sums[j] = sum.finish();
  }
  return seen;
}

template <class X>
Seen sums_by_columns(const LabelledRows<X>& rows, const double* threshold, std::size_t leaf_rows, int n_threads,
                     double* weights, double* sums) {
  fold_sums(rows.x.n, leaf_rows, 1, rows.n_classes, weights,
            [&](std::size_t lo, std::size_t hi, double* table) { class_weights(rows, lo, hi, table); });
  std::vector<std::vector<std::size_t>> of_class(rows.n_classes);
  for (std::size_t i = 0; i < rows.x.n; ++i) of_class[static_cast<std::size_t>(rows.classes[i])].push_back(i);
  SeenByAll seen;
  parallel_for(rows.n_classes, n_threads, [&](std::size_t c, int) {
    seen.add(sums_of_class(rows, threshold, of_class[c], leaf_rows, sums + c * rows.x.d));
  });
  return seen.all();
}

}  // namespace

template <class T, class Index>
Seen class_sums(const LabelledRows<CsrRows<T, Index>>& rows, const double* threshold, std::size_t leaf_rows,
                int n_threads, double* weights, double* sums) {
  const std::size_t C = rows.n_classes, cells = C * rows.x.d;
  const auto entries = static_cast<double>(rows.x.entries());
  n_threads = threads_for(entries * kScatteredNs, n_threads);
  const auto n_leaves = static_cast<double>(leaves_of(rows.x.n, leaf_rows));
  if (rows.x.n > 0 && static_cast<double>(cells) * n_leaves > kSparser * entries) {
    return sums_by_columns(rows, threshold, leaf_rows, n_threads, weights, sums);
  }
  SeenByAll seen;
  Table all(new double[C + cells]);
  fold_sums(rows.x.n, leaf_rows, n_threads, C + cells, all.get(),
            [&](std::size_t lo, std::size_t hi, double* table) {
              class_weights(rows, lo, hi, table);
              seen.add(sparse_leaf(rows, threshold, lo, hi, table + C));
            });
  std::copy_n(all.get(), C, weights);
  std::copy_n(all.get() + C, cells, sums);
  return seen.all();
}

#define SUREFIT_CLASS_SUMS(R)                                                                           \
  template Seen class_sums(const LabelledRows<R>&, const double*, std::size_t, int, double*, double*);
SUREFIT_EACH_CSR(SUREFIT_CLASS_SUMS)

}  // namespace surefit::class_statistics
