// Sweeps over quadratic functions with an L1 penalty, under the sanitizers: the conditions of a minimum at the end.
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "linear_model/lasso.hpp"

int main() {
  std::mt19937 random(0);
  std::normal_distribution<double> normal;
  for (std::size_t p : {1u, 2u, 17u, 60u}) {
    const std::size_t n = 2 * p + 3;
    std::vector<double> a(n * p), H(p * p), r(p), z(p), t(p, 2.0);
    for (auto& v : a) v = normal(random);
    t[p - 1] = 0;
    for (std::size_t j = 0; j < p; ++j) {
      for (std::size_t k = 0; k < p; ++k) {
        for (std::size_t i = 0; i < n; ++i) H[j * p + k] += a[i * p + j] * a[i * p + k];
      }
      r[j] = 10 * normal(random);
    }
    const std::vector<double> start = r;
    const std::size_t done = surefit::lasso::sweeps(H.data(), r.data(), z.data(), t.data(), p, 5000, 5000);
    CHECK(done == 5000);
    for (std::size_t j = 0; j < p; ++j) {
      double gradient = start[j];
      for (std::size_t k = 0; k < p; ++k) gradient += H[j * p + k] * z[k];
      CHECK(std::fabs(gradient - r[j]) < 1e-8);
      if (z[j] == 0) CHECK(std::fabs(gradient) <= t[j] + 1e-8);
      if (z[j] != 0) CHECK(std::fabs(gradient + std::copysign(t[j], z[j])) < 1e-6);
    }
    CHECK(surefit::lasso::sweeps(H.data(), r.data(), z.data(), t.data(), p, 0, 1) == 0);
    CHECK(surefit::lasso::sweeps(H.data(), r.data(), z.data(), t.data(), p, 100, 2) == 2);
  }
  return 0;
}
