#include "logistic_csr.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/checked_csr.hpp"
#include "surefit/fold.hpp"

namespace surefit::logistic {
namespace {

// One row. u = −z for class 1, z for class 0: how far it is on the wrong side. With e = exp(−|u|), q = 1/(1 + e):
// loss = max(0, u) + log(1 + e), p (1 − p) = e q².
void add_row(double z, bool one, double w, RowSums& sums, double& slope) {
  const double u = one ? -z : z, size = std::fabs(u);
  const double e = std::exp(-size), q = 1 / (1 + e);
  const double wrong = u > 0 ? q : e * q;
  slope = one ? -w * wrong : w * wrong;
  sums.loss += w * (std::max(u, 0.0) + std::log1p(e));
  sums.slope += slope;
  sums.curvature += w * (e * q * q);
  sums.spread = std::max(sums.spread, size);
  sums.margin = std::min(sums.margin, -u);
}

void merge(RowSums& left, const RowSums& right) {
  left.loss += right.loss;
  left.slope += right.slope;
  left.curvature += right.curvature;
  left.spread = std::max(left.spread, right.spread);
  left.margin = std::min(left.margin, right.margin);
}

template <class T, class Index>
void check_classes(const SparseProblem<T, Index>& problem) {
  for (std::size_t i = 0; i < problem.x.n; ++i) {
    if (problem.y[i] != 0 && problem.y[i] != 1) {
      throw std::invalid_argument("y holds a code that is no class, in row " + std::to_string(i));
    }
  }
}

template <class T, class Index>
int threads_of(const SparseProblem<T, Index>& problem, int n_threads) {
  const double work = static_cast<double>(problem.x.entries()) + 40.0 * static_cast<double>(problem.x.n);
  return threads_for(work * kScalarNs, n_threads);
}

// use(i, w (p − y)) for rows lo … hi-1; nothing where a column does not exist.
template <class T, class Index, class Use>
RowSums leaf_sums(const SparseProblem<T, Index>& problem, std::size_t lo, std::size_t hi, std::atomic<bool>& fits,
                  Use&& use) {
  RowSums sums;
  if (!columns_of_rows_fit(problem.x, lo, hi)) {
    fits = false;
    return sums;
  }
  for (std::size_t i = lo; i < hi; ++i) {
    const double w = problem.w ? problem.w[i] : 1.0;
    double slope = 0;
    if (w != 0) {
      const double z = problem.intercept + problem.x.row(i).product(problem.coef);
      add_row(z, problem.y[i] > 0.5, w, sums, slope);
    }
    use(i, slope);
  }
  return sums;
}

}  // namespace

template <class T, class Index>
RowSums sparse_rows(const SparseProblem<T, Index>& problem, std::size_t leaf_rows, int n_threads, double* slopes) {
  check_classes(problem);
  std::atomic<bool> fits = true;
  const auto leaf = [&](std::size_t lo, std::size_t hi, int) {
    return leaf_sums(problem, lo, hi, fits, [&](std::size_t i, double slope) { slopes[i] = slope; });
  };
  const RowSums all = fold_leaves(problem.x.n, leaf_rows, threads_of(problem, n_threads), leaf, merge);
  if (!fits) check_columns(problem.x);
  return all;
}

template <class T, class Index>
RowSums sparse_pass(const SparseProblem<T, Index>& problem, std::size_t leaf_rows, int n_threads, double* gradient) {
  check_classes(problem);
  const std::size_t d = problem.x.d;
  struct Part {
    RowSums sums;
    std::vector<double> gradient;
  };
  std::atomic<bool> fits = true;
  const auto leaf = [&](std::size_t lo, std::size_t hi, int) {
    Part part{{}, std::vector<double>(d)};
    part.sums = leaf_sums(problem, lo, hi, fits, [&](std::size_t i, double slope) {
      add_to(problem.x.row(i), slope, part.gradient.data());
    });
    return part;
  };
  const auto merge_parts = [d](Part& left, const Part& right) {
    merge(left.sums, right.sums);
    for (std::size_t j = 0; j < d; ++j) left.gradient[j] += right.gradient[j];
  };
  const Part all = fold_leaves(problem.x.n, leaf_rows, threads_of(problem, n_threads), leaf, merge_parts);
  if (!fits) check_columns(problem.x);
  std::copy_n(all.gradient.data(), d, gradient);
  return all.sums;
}

#define SUREFIT_SPARSE_ROWS(T, Index)                                                       \
  template RowSums sparse_rows(const SparseProblem<T, Index>&, std::size_t, int, double*);  \
  template RowSums sparse_pass(const SparseProblem<T, Index>&, std::size_t, int, double*);
SUREFIT_SPARSE_ROWS(float, std::int32_t)
SUREFIT_SPARSE_ROWS(float, std::int64_t)
SUREFIT_SPARSE_ROWS(double, std::int32_t)
SUREFIT_SPARSE_ROWS(double, std::int64_t)

}  // namespace surefit::logistic
