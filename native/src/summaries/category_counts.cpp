#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "class_fold.hpp"
#include "class_loops.hpp"

namespace surefit::class_statistics {

template <class T>
Seen column_range(const DenseRows<T>& rows, int n_threads, T* lowest, T* highest) {
  constexpr std::size_t rows_at_once = 8192;
  const std::size_t d = rows.d;
  if (rows.n == 0) throw std::invalid_argument("no rows have no range");
  std::copy_n(rows.x, d, lowest);
  std::copy_n(rows.x, d, highest);
  std::mutex mutex;
  Seen seen;
  n_threads = threads_for(static_cast<double>(rows.entries()) * kScatteredNs, n_threads);
  parallel_for(leaves_of(rows.n, rows_at_once), n_threads, [&](std::size_t i, int) {
    const std::size_t lo = i * rows_at_once;
    const T* first = rows.row(lo).x;
    std::vector<T> low(first, first + d), high(first, first + d);
    const DenseRows<T> here{first, std::min(rows_at_once, rows.n - lo), d};
    const bool broken = loops<T>().range(here, low.data(), high.data());
    std::lock_guard lock(mutex);
    seen.not_finite |= broken;
    for (std::size_t j = 0; j < d; ++j) {
      lowest[j] = std::min(lowest[j], low[j]);
      highest[j] = std::max(highest[j], high[j]);
    }
  });
  for (std::size_t j = 0; j < d; ++j) seen.negative |= lowest[j] < T(0);
  return seen;
}

template <class T>
void category_counts(const LabelledRows<DenseRows<T>>& rows, const std::int64_t* starts, std::size_t leaf_rows, int n_threads,
                     double* weights, double* counts) {
  const std::size_t C = rows.n_classes, d = rows.x.d, width = static_cast<std::size_t>(starts[d]);
  n_threads = threads_for(static_cast<double>(rows.x.entries()) * kScatteredNs, n_threads);
  const auto count = [&](std::size_t lo, std::size_t hi, double* table) {
    class_weights(rows, lo, hi, table);
    for (std::size_t i = lo; i < hi; ++i) {
      double* to = table + C + static_cast<std::size_t>(rows.classes[i]) * width;
      const T* x = rows.x.row(i).x;
      const double w = rows.weight(i);
      for (std::size_t j = 0; j < d; ++j) {
        const auto at = starts[j] + static_cast<std::int64_t>(x[j]);
        if (at < starts[j] || at >= starts[j + 1]) throw std::invalid_argument("a category is out of range");
        to[at] += w;
      }
    }
  };
  const std::size_t size = C + C * width;
  Table all(new double[size]());
  if (rows.w) {
    fold_sums(rows.x.n, leaf_rows, n_threads, size, all.get(), count);
  } else {
    // Whole numbers add up without rounding in any order: one table for each thread.
    std::vector<Table> tables(static_cast<std::size_t>(n_threads));
    parallel_for(leaves_of(rows.x.n, leaf_rows), n_threads, [&](std::size_t i, int thread) {
      Table& table = tables[static_cast<std::size_t>(thread)];
      if (!table) table.reset(new double[size]());
      count(i * leaf_rows, std::min(rows.x.n, (i + 1) * leaf_rows), table.get());
    });
    for (const Table& table : tables) {
      for (std::size_t j = 0; table && j < size; ++j) all[j] += table[j];
    }
  }
  std::copy_n(all.get(), C, weights);
  std::copy_n(all.get() + C, C * width, counts);
}

#define SUREFIT_CATEGORIES(T)                                                                                     \
  template Seen column_range(const DenseRows<T>&, int, T*, T*);                                                   \
  template void category_counts(const LabelledRows<DenseRows<T>>&, const std::int64_t*, std::size_t, int, double*, \
                                double*);
SUREFIT_CATEGORIES(float)
SUREFIT_CATEGORIES(double)
SUREFIT_CATEGORIES(std::int32_t)
SUREFIT_CATEGORIES(std::int64_t)

}  // namespace surefit::class_statistics
