// Squared lengths of band solutions and products with a symmetric half against long double, under the sanitizers.
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "kernels/band_lengths.hpp"
#include "products/symmetric.hpp"

namespace {

using namespace surefit;

std::vector<double> normal(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> draw;
  std::vector<double> x(n);
  for (auto& v : x) v = draw(random);
  return x;
}

void lengths(std::size_t factors, std::size_t n, std::size_t width, std::size_t m) {
  auto l = normal(factors * n * (width + 1), 1);
  const auto v = normal(n * m, 2);
  for (std::size_t i = 0; i < factors * n; ++i) l[i * (width + 1)] = 2.0 * static_cast<double>(width + 1);
  std::vector<double> out(factors * m), again(factors * m);
  band_lengths::squared_lengths({l.data(), factors, n, width}, v.data(), m, 1, out.data());
  band_lengths::squared_lengths({l.data(), factors, n, width}, v.data(), m, 3, again.data());
  CHECK(out == again);
  for (std::size_t k = 0; k < factors; ++k) {
    const double* own = l.data() + k * n * (width + 1);
    for (std::size_t j = 0; j < m; ++j) {
      std::vector<long double> x(n);
      long double sum = 0;
      for (std::size_t c = 0; c < n; ++c) {
        x[c] = v[c * m + j];
        for (std::size_t e = c > width ? c - width : 0; e < c; ++e) x[c] -= own[e * (width + 1) + c - e] * x[e];
        x[c] /= own[c * (width + 1)];
        sum += x[c] * x[c];
      }
      CHECK(std::abs(out[k * m + j] - sum) <= 1e-13L * sum);
    }
  }
}

void symmetric(std::size_t n, std::size_t columns) {
  const auto a = normal(n * n, 3), b = normal(n * columns, 4);
  std::vector<double> out(n * columns), again(n * columns);
  products::multiply_symmetric(a.data(), n, b.data(), columns, out.data(), n, columns, 1);
  products::multiply_symmetric(a.data(), n, b.data(), columns, again.data(), n, columns, 3);
  CHECK(out == again);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      long double sum = 0;
      for (std::size_t k = 0; k < n; ++k) {
        sum += static_cast<long double>(k < i ? a[i * n + k] : a[k * n + i]) * b[k * columns + j];
      }
      CHECK(std::abs(out[i * columns + j] - sum) <= 1e-12L);
    }
  }
}

}  // namespace

int main() {
  for (const std::size_t m : {1, 7, 24, 50}) {
    lengths(1, 1, 3, m);
    lengths(2, 9, 0, m);
    lengths(3, 65, 64, m);
    lengths(1, 131, 5, m);
  }
  for (const std::size_t n : {1, 95, 96, 97, 200}) {
    symmetric(n, 1);
    symmetric(n, 64);
    symmetric(n, 33);
  }
}
