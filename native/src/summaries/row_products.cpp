#include "row_products.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <stdexcept>
#include <vector>

#include "engine/checked_csr.hpp"
#include "surefit/fold.hpp"

namespace surefit::row_products {
namespace {

constexpr std::size_t kEntries = 4096;  // of a task, about
constexpr std::size_t kFull = 4;        // a column of so many leaves per entry is summed leaf by leaf, zeros and all

// body(first, last) over runs of rows with about kEntries entries, whose columns exist; m uses of each entry.
template <class X, class Body>
void for_runs(const X& rows, std::size_t m, int n_threads, Body&& body) {
  const double uses = static_cast<double>(rows.entries()) * static_cast<double>(m);
  const std::size_t average = rows.entries() / std::max<std::size_t>(rows.n, 1);
  const std::size_t run = std::max<std::size_t>(1, kEntries / (average + 1));
  std::atomic<bool> fits = true;
  parallel_for(leaves_of(rows.n, run), threads_for(uses * kScatteredNs, n_threads), [&](std::size_t task, int) {
    const std::size_t first = task * run, last = std::min(rows.n, first + run);
    if (columns_of_rows_fit(rows, first, last)) {
      body(first, last);
    } else {
      fits = false;
    }
  });
  if (!fits) check_columns(rows);
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

template <class T, class Index>
void column_moments(const CsrRows<T, Index>& rows, const double* w, double scale, std::size_t leaf_rows, int n_threads,
                    double* sums, double* squares) {
  const std::size_t d = rows.d;
  std::atomic<bool> fits = true;
  const auto leaf = [&](std::size_t lo, std::size_t hi, int) {
    std::vector<double> both(2 * d);
    if (!columns_of_rows_fit(rows, lo, hi)) {
      fits = false;
      return both;
    }
    for (std::size_t i = lo; i < hi; ++i) {
      const double weight = w ? w[i] : 1.0;
      rows.row(i).each([&](double x, std::size_t j, std::size_t) {
        const double t = scale * x;
        both[j] += t * weight;
        both[d + j] += t * t * weight;
      });
    }
    return both;
  };
  const auto merge = [d](std::vector<double>& left, const std::vector<double>& right) {
    for (std::size_t j = 0; j < 2 * d; ++j) left[j] += right[j];
  };
  const double uses = 2 * static_cast<double>(rows.entries());
  const std::vector<double> all = fold_leaves(rows.n, leaf_rows, threads_for(uses * kScalarNs, n_threads), leaf, merge);
  if (!fits) check_columns(rows);
  std::copy_n(all.data(), d, sums);
  std::copy_n(all.data() + d, d, squares);
}

template <class T, class Index>
NormalSums normal_product(const CsrRows<T, Index>& rows, const double* v, double shift, const double* c, const double* w,
                          int n_threads, double* sums) {
  const std::size_t d = rows.d, chunk = (rows.n + kChunks - 1) / kChunks;
  struct Part {
    std::vector<double> sums;
    NormalSums all{0, 0};
  };
  std::atomic<bool> fits = true;
  const double uses = 2 * static_cast<double>(rows.entries());
  const auto leaf = [&](std::size_t lo, std::size_t hi, int) {
    Part part;
    part.sums.assign(d, 0.0);
    if (!columns_of_rows_fit(rows, lo, hi)) {
      fits = false;
      return part;
    }
    for (std::size_t i = lo; i < hi; ++i) {
      const auto row = rows.row(i);
      const double z = row.product(v) - shift - (c ? c[i] : 0.0), t = w ? w[i] * z : z;
      part.all.total += t;
      part.all.squares += t * z;
      add_to(row, t, part.sums.data());
    }
    return part;
  };
  const auto merge = [d](Part& left, const Part& right) {
    left.all.total += right.all.total;
    left.all.squares += right.all.squares;
    for (std::size_t j = 0; j < d; ++j) left.sums[j] += right.sums[j];
  };
  const Part all = fold_leaves(rows.n, chunk, threads_for(uses * kScalarNs, n_threads), leaf, merge);
  if (!fits) check_columns(rows);
  std::copy_n(all.sums.data(), d, sums);
  return all.all;
}

#define SUREFIT_PRODUCTS(R)                                                                       \
  template void scores(const R&, const double*, const double*, std::size_t, int, double*);        \
  template void column_sums(const R&, const double*, std::size_t, std::size_t, int, double*);      \
  template void column_moments(const R&, const double*, double, std::size_t, int, double*, double*); \
  template NormalSums normal_product(const R&, const double*, double, const double*, const double*, int, double*);
SUREFIT_EACH_CSR(SUREFIT_PRODUCTS)

}  // namespace surefit::row_products
