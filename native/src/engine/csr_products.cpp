#include "csr_products.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "cell_tree.hpp"
#include "surefit/parallel.hpp"

namespace surefit {
namespace {

constexpr double kSerialWork = 1e5;    // multiplications; below, threads cost more than they save
constexpr std::size_t kEntries = 4096;  // of a task, about
constexpr std::size_t kFull = 4;        // a column of so many leaves per entry is summed leaf by leaf, zeros and all

template <class T, class Index>
int threads_for(const Compressed<T, Index>& part, std::size_t m, int n_threads) {
  const double work = static_cast<double>(part.indptr[part.n_outer]) * static_cast<double>(m);
  return work < kSerialWork || n_threads < 1 ? 1 : n_threads;
}

// body(first, last) over runs of rows (or columns) with about kEntries entries.
template <class T, class Index, class Body>
void for_runs(const Compressed<T, Index>& part, int n_threads, Body&& body) {
  const auto entries = static_cast<std::size_t>(part.indptr[part.n_outer]);
  const std::size_t average = entries / std::max<std::size_t>(part.n_outer, 1);
  const std::size_t run = std::max<std::size_t>(1, kEntries / (average + 1));
  parallel_for((part.n_outer + run - 1) / run, n_threads, [&](std::size_t task, int) {
    body(task * run, std::min(part.n_outer, (task + 1) * run));
  });
}

// The fixed tree over all leaves: neighbours are added until one is left.
double tree_sum(double* leaves, std::size_t n) {
  for (; n > 1; n = (n + 1) / 2) {
    for (std::size_t i = 0; i < n / 2; ++i) leaves[i] = leaves[2 * i] + leaves[2 * i + 1];
    if (n % 2) leaves[n / 2] = leaves[n - 1];
  }
  return leaves[0];
}

template <class Index>
std::size_t checked(Index index, std::size_t n_inner) {
  if (index < 0 || static_cast<std::size_t>(index) >= n_inner) {
    throw std::invalid_argument("a row or column number of sparse data is out of range");
  }
  return static_cast<std::size_t>(index);
}

}  // namespace

template <class T, class Index>
void csr_scores(const Compressed<T, Index>& rows, const double* w, const double* b, std::size_t m, int n_threads,
                double* scores) {
  for_runs(rows, threads_for(rows, m, n_threads), [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const auto begin = static_cast<std::size_t>(rows.indptr[i]), end = static_cast<std::size_t>(rows.indptr[i + 1]);
      if (m == 1) {
        double z = b[0];
        for (std::size_t e = begin; e < end; ++e) {
          z += static_cast<double>(rows.data[e]) * w[checked(rows.indices[e], rows.n_inner)];
        }
        scores[i] = z;
        continue;
      }
      double* z = scores + i * m;
      std::copy_n(b, m, z);
      for (std::size_t e = begin; e < end; ++e) {
        const double x = static_cast<double>(rows.data[e]);
        const double* of_column = w + checked(rows.indices[e], rows.n_inner) * m;
        for (std::size_t k = 0; k < m; ++k) z[k] += x * of_column[k];
      }
    }
  });
}

template <class T, class Index>
void csc_sums(const Compressed<T, Index>& columns, const double* r, std::size_t m, std::size_t leaf_rows,
              int n_threads, double* sums) {
  if (!std::has_single_bit(leaf_rows)) throw std::invalid_argument("leaf_rows must be a power of two");
  const int shift = std::countr_zero(leaf_rows);
  const std::size_t n = columns.n_inner, d = columns.n_outer, n_leaves = (n + leaf_rows - 1) / leaf_rows;
  for_runs(columns, threads_for(columns, m, n_threads), [&](std::size_t first, std::size_t last) {
    CellTree tree;
    std::vector<double> leaves;
    for (std::size_t j = first; j < last; ++j) {
      const auto begin = static_cast<std::size_t>(columns.indptr[j]);
      const auto end = static_cast<std::size_t>(columns.indptr[j + 1]);
      for (std::size_t k = 0; k < m; ++k) {
        const double* of_class = r + k * n;
        if (n_leaves <= kFull * (end - begin)) {
          leaves.assign(n_leaves, 0.0);
          for (std::size_t e = begin; e < end; ++e) {
            const std::size_t i = checked(columns.indices[e], n);
            leaves[i >> shift] += static_cast<double>(columns.data[e]) * of_class[i];
          }
          sums[k * d + j] = tree_sum(leaves.data(), n_leaves);
          continue;
        }
        for (std::size_t e = begin; e < end; ++e) {
          const std::size_t i = checked(columns.indices[e], n);
          tree.add(i >> shift, static_cast<double>(columns.data[e]) * of_class[i]);
        }
        sums[k * d + j] = tree.finish();
      }
    }
  });
}

#define SUREFIT_COMPRESSED(T, Index)                                                                             \
  template void csr_scores(const Compressed<T, Index>&, const double*, const double*, std::size_t, int, double*); \
  template void csc_sums(const Compressed<T, Index>&, const double*, std::size_t, std::size_t, int, double*);
SUREFIT_COMPRESSED(float, std::int32_t)
SUREFIT_COMPRESSED(float, std::int64_t)
SUREFIT_COMPRESSED(double, std::int32_t)
SUREFIT_COMPRESSED(double, std::int64_t)

}  // namespace surefit
