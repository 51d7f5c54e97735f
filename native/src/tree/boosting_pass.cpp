#include "boosting_pass.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "surefit/fold.hpp"

namespace surefit::boosting {
namespace {

constexpr std::size_t kRows = 4096;

// e^−a for a ≥ 0, to about an ulp, by operations that the compiler can do side by side:
// −a = k log 2 + r with |r| ≤ ½ log 2, e^r by its series.
inline double exp_minus(double a) {
  constexpr double kLog2Hi = 6.93147180369123816490e-01, kLog2Lo = 1.90821492927058770002e-10;
  constexpr double kMagic = 6755399441055744.0;  // 1.5 · 2^52: adding it rounds to a whole number
  a = a < 700.0 ? a : 700.0;
  const double shifted = -a * 1.44269504088896338700 + kMagic;
  const double k = shifted - kMagic;
  const double r = (-a - k * kLog2Hi) - k * kLog2Lo;
  double p = 1.0 / 479001600;
  p = p * r + 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  const auto whole = std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(kMagic);
  return p * std::bit_cast<double>((whole + 1023) << 52);
}

// One leaf of the fixed tree. Without weights Σ log(1 + e) is the logarithm of a product of factors ≤ 2, 512 at a time.
double logistic_leaf(const double* raw, const double* y, const double* w, std::size_t n, double* gradient,
                     double* hessian) {
  constexpr std::size_t kProduct = 512;
  double loss = 0;
  for (std::size_t start = 0; start < n; start += kProduct) {
    const std::size_t stop = std::min(n, start + kProduct);
    double factor[kProduct];
    double linear = 0;
    for (std::size_t i = start; i < stop; ++i) {
      const double u = y[i] > 0.5 ? -raw[i] : raw[i];
      const double e = exp_minus(std::fabs(u));
      const double q = 1.0 / (1.0 + e);
      const double wrong = u > 0 ? q : e * q;
      gradient[i] = y[i] > 0.5 ? -wrong : wrong;
      hessian[i] = e * q * q;
      factor[i - start] = 1.0 + e;
    }
    if (w) {
      for (std::size_t i = start; i < stop; ++i) {
        const double u = y[i] > 0.5 ? -raw[i] : raw[i];
        linear += w[i] * (std::max(u, 0.0) + std::log(factor[i - start]));
        gradient[i] *= w[i];
        hessian[i] *= w[i];
      }
    } else {
      double product = 1;
      for (std::size_t i = start; i < stop; ++i) {
        product *= factor[i - start];
        linear += std::max(y[i] > 0.5 ? -raw[i] : raw[i], 0.0);
      }
      linear += std::log(product);
    }
    loss += linear;
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
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
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
      gradient[i] = w ? w[i] * residual : residual;
      loss += 0.5 * residual * gradient[i];
    }
    return loss;
  });
}

}  // namespace surefit::boosting
