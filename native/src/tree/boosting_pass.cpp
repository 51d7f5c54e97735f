#include "boosting_pass.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "boosting_leaf.hpp"
#include "surefit/fold.hpp"

namespace surefit::boosting {
namespace {

constexpr std::size_t kRows = 4096;

// One leaf of the fixed tree. Without weights Σ log(1 + e) is the logarithm of products of factors ≤ 2, 512 at a time.
double logistic_leaf(const double* raw, const double* y, const double* w, std::size_t n, double* gradient,
                     double* hessian) {
  constexpr std::size_t kProduct = 512;
  const LeafLoops& loops = SUREFIT_TABLE(boosting_leaf);
  double factor[kProduct], linear[kProduct];
  double loss = 0;
  for (std::size_t start = 0; start < n; start += kProduct) {
    const std::size_t rows = std::min(n - start, kProduct);
    loops.logistic(raw + start, y + start, rows, gradient + start, hessian + start, factor, linear);
    double sums[4] = {0, 0, 0, 0};
    if (w) {
      for (std::size_t i = 0; i < rows; ++i) {
        sums[0] += w[start + i] * (linear[i] + std::log(factor[i]));
      }
    } else {
      double products[4] = {1, 1, 1, 1};
      for (std::size_t i = 0; i < rows; ++i) {
        products[i % 4] *= factor[i];
        sums[i % 4] += linear[i];
      }
      sums[0] += std::log(products[0] * products[1]) + std::log(products[2] * products[3]);
    }
    loss += (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  return loss;
}

template <class Leaf>
double over_rows(std::size_t n, int n_threads, Leaf&& leaf) {
  std::vector<double> sums(leaves_of(n, kRows));
  n_threads = threads_for(static_cast<double>(n) * 6, n_threads);
  parallel_for(sums.size(), n_threads, [&](std::size_t task, int) {
    const std::size_t lo = task * kRows;
    sums[task] = leaf(lo, std::min(n, lo + kRows) - lo);
  });
  return tree_sum(sums.data(), sums.size());
}

}  // namespace

void add_steps(const Leaves& leaves, double* raw, int n_threads) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < leaves.n; ++i) n += static_cast<std::size_t>(leaves.count[i]);
  parallel_for(leaves.n, threads_for(static_cast<double>(n) * 2, n_threads), [&](std::size_t i, int) {
    const std::uint32_t* rows = leaves.order + leaves.first[i];
    const double step = leaves.value[i];
    for (std::int64_t k = 0; k < leaves.count[i]; ++k) raw[rows[k]] += step;
  });
}

double logistic(const double* raw, const double* y, const double* w, std::size_t n, double* gradient, double* hessian,
                int n_threads) {
  return over_rows(n, n_threads, [&](std::size_t lo, std::size_t rows) {
    return logistic_leaf(raw + lo, y + lo, w ? w + lo : nullptr, rows, gradient + lo, hessian + lo);
  });
}

double squared(const double* raw, const double* y, const double* w, std::size_t n, double* gradient, int n_threads) {
  return over_rows(n, n_threads, [&](std::size_t lo, std::size_t rows) {
    double loss = 0;
    for (std::size_t i = lo; i < lo + rows; ++i) {
      const double residual = raw[i] - y[i];
      gradient[i] = residual;
      loss += 0.5 * (w ? w[i] : 1) * residual * residual;
    }
    return loss;
  });
}

}  // namespace surefit::boosting
