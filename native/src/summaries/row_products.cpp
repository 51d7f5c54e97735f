#include "row_products.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <vector>

#include "surefit/fold.hpp"

namespace surefit::row_products {
namespace {

constexpr std::size_t kEntries = 4096;  // of a task, about
constexpr std::size_t kFull = 4;        // a column of so many leaves per entry is summed leaf by leaf, zeros and all

// body(first, last) over runs of rows with about kEntries entries; m uses of each entry.
template <class X, class Body>
void for_runs(const X& rows, std::size_t m, int n_threads, Body&& body) {
  const double uses = static_cast<double>(rows.entries()) * static_cast<double>(m);
  const std::size_t average = rows.entries() / std::max<std::size_t>(rows.n, 1);
  const std::size_t run = std::max<std::size_t>(1, kEntries / (average + 1));
  parallel_for(leaves_of(rows.n, run), threads_for(uses * kScatteredNs, n_threads), [&](std::size_t task, int) {
    body(task * run, std::min(rows.n, (task + 1) * run));
  });
}

}  // namespace

template <class T, class Index>
void scores(const CsrRows<T, Index>& rows, const double* w, const double* b, std::size_t m, int n_threads,
            double* scores) {
  for_runs(rows, m, n_threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      if (m == 1) {
        scores[i] = b[0] + rows.row(i).product(w);
        continue;
      }
      double* z = scores + i * m;
      std::copy_n(b, m, z);
      rows.row(i).each([&](double x, std::size_t j, std::size_t) {
        for (std::size_t k = 0; k < m; ++k) z[k] += x * w[j * m + k];
      });
    }
  });
}

template <class T, class Index>
void column_sums(const CsrRows<T, Index>& columns, const double* r, std::size_t m, std::size_t leaf_rows,
                 int n_threads, double* sums) {
  if (!std::has_single_bit(leaf_rows)) throw std::invalid_argument("leaf_rows must be a power of two");
  const int shift = std::countr_zero(leaf_rows);
  const std::size_t n = columns.d, d = columns.n, n_leaves = leaves_of(n, leaf_rows);
  for_runs(columns, m, n_threads, [&](std::size_t first, std::size_t last) {
    SparseSum sum;
    std::vector<double> leaves;
    for (std::size_t j = first; j < last; ++j) {
      const auto column = columns.row(j);
      for (std::size_t k = 0; k < m; ++k) {
        const double* of_class = r + k * n;
        if (n_leaves <= kFull * column.size()) {
          leaves.assign(n_leaves, 0.0);
          column.each([&](double x, std::size_t i, std::size_t) { leaves[i >> shift] += x * of_class[i]; });
          sums[k * d + j] = tree_sum(leaves.data(), n_leaves);
        } else {
          column.each([&](double x, std::size_t i, std::size_t) { sum.add(i >> shift, x * of_class[i]); });
          sums[k * d + j] = sum.finish();
        }
      }
    }
  });
}

#define SUREFIT_PRODUCTS(R)                                                                       \
  template void scores(const R&, const double*, const double*, std::size_t, int, double*);        \
  template void column_sums(const R&, const double*, std::size_t, std::size_t, int, double*);
SUREFIT_EACH_CSR(SUREFIT_PRODUCTS)

}  // namespace surefit::row_products
