// The gap of coefficients in twice the precision against long double, under the sanitizers.
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "linear_model/twofold_gap.hpp"

namespace {

void check(std::size_t n, std::size_t d, std::size_t targets, bool weighted) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  const auto drawn = [&](std::size_t size) {
    std::vector<double> v(size);
    for (auto& x : v) x = normal(random);
    return v;
  };
  const auto x = drawn(n * d), y = drawn(n * targets), center = drawn(d + targets), w = drawn(targets * d);
  const auto w_low = std::vector<double>(targets * d, 1e-18), b = drawn(targets);
  const std::vector<double> scale(d + targets, 0.5), b_low(targets, -1e-18);
  std::vector<double> omega(n);
  for (std::size_t i = 0; i < n; ++i) omega[i] = static_cast<double>(i % 3);
  std::vector<double> g(targets * d), g_low(targets * d), g0(targets), g0_low(targets), squares(targets);
  std::vector<double> work(surefit::least_squares::gap_work(d));
  SUREFIT_TABLE(gap_loops).gap({{x.data(), n, d}, y.data(), weighted ? omega.data() : nullptr, targets, center.data(),
                                scale.data(), w.data(), w_low.data(), b.data(), b_low.data()},
                               {g.data(), g_low.data(), g0.data(), g0_low.data(), squares.data(), work.data()});
  for (std::size_t k = 0; k < targets; ++k) {
    std::vector<long double> want(d);
    long double total = 0, sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      long double r = (static_cast<long double>(y[i * targets + k]) - center[d + k]) * 0.5L - b[k];
      for (std::size_t j = 0; j < d; ++j) {
        r -= (static_cast<long double>(x[i * d + j]) - center[j]) * 0.5L * w[k * d + j];
      }
      const long double weight = weighted ? omega[i] : 1.0;
      total += weight * r;
      sum += weight * r * r;
      for (std::size_t j = 0; j < d; ++j) {
        want[j] += weight * r * (static_cast<long double>(x[i * d + j]) - center[j]) * 0.5L;
      }
    }
    CHECK(std::fabs(g0[k] + g0_low[k] - static_cast<double>(total)) < 1e-13);
    CHECK(std::fabs(squares[k] - static_cast<double>(sum)) < 1e-11);
    for (std::size_t j = 0; j < d; ++j) {
      CHECK(std::fabs(g[k * d + j] + g_low[k * d + j] - static_cast<double>(want[j])) < 1e-13);
    }
  }
}

}  // namespace

int main() {
  for (const std::size_t n : {0, 1, 8, 13, 100}) {
    for (const std::size_t d : {0, 1, 5}) {
      check(n, d, 1, false);
      check(n, d, 3, true);
    }
  }
}
