// Matrix products, sums of features of a mixture and steps of Adam against plain sums in long double.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "mixture/expectation.hpp"
#include "network/layers.hpp"
#include "products/product.hpp"

namespace {

std::mt19937 random_bits(5);
std::normal_distribution<double> normal;

template <class T>
std::vector<T> draw(std::size_t n) {
  std::vector<T> out(n);
  for (auto& v : out) v = static_cast<T>(normal(random_bits));
  return out;
}

template <class T>
void products(std::size_t m, std::size_t n, std::size_t k, bool turned) {
  const auto a = draw<T>(m * k), b = draw<T>(k * n);
  std::vector<T> one(m * n, T(7)), two(m * n, T(7));
  surefit::products::multiply(a.data(), b.data(), one.data(), m, n, k, turned, 1);
  surefit::products::multiply(a.data(), b.data(), two.data(), m, n, k, turned, 3);
  CHECK(one == two);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      long double want = 0, size = 0;
      for (std::size_t p = 0; p < k; ++p) {
        const long double term = static_cast<long double>(turned ? a[p * m + i] : a[i * k + p]) * b[p * n + j];
        want += term;
        size += std::fabs(term);
      }
      const long double room = static_cast<long double>(k + 1) * std::numeric_limits<T>::epsilon() * size;
      CHECK(std::fabs(want - one[i * n + j]) <= room);
    }
  }
}

template <class T>
void mixtures(std::size_t n, std::size_t d, std::size_t K, bool full, bool weighted) {
  const std::size_t p = surefit::mixture::features_of(d, full);
  const auto x = draw<T>(n * d);
  auto shift = draw<double>(d), scale = draw<double>(d), coef = draw<double>(K * p), w = draw<double>(n);
  for (auto& v : w) v = std::fabs(v);
  std::vector<double> sums(K * p + 2), again(K * p + 2);
  const double* weights = weighted ? w.data() : nullptr;
  const surefit::DenseRows<T> rows{x.data(), n, d};
  surefit::mixture::feature_sums(rows, weights, shift.data(), scale.data(), coef.data(), K, full, 64, 1, sums.data());
  surefit::mixture::feature_sums(rows, weights, shift.data(), scale.data(), coef.data(), K, full, 64, 3, again.data());
  CHECK(sums == again);
  std::vector<long double> want(K * p + 2, 0.0L), phi(p), joint(K);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t at = 0;
    std::vector<long double> z(d);
    for (std::size_t j = 0; j < d; ++j) z[j] = (static_cast<long double>(x[i * d + j]) - shift[j]) * scale[j];
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t l = j; l < (full ? d : j + 1); ++l) phi[at++] = z[j] * z[l];
    }
    for (std::size_t j = 0; j < d; ++j) phi[at++] = z[j];
    phi[at] = 1;
    long double top = -std::numeric_limits<long double>::infinity(), total = 0;
    for (std::size_t k = 0; k < K; ++k) {
      joint[k] = 0;
      for (std::size_t j = 0; j < p; ++j) joint[k] += phi[j] * coef[k * p + j];
      top = std::max(top, joint[k]);
    }
    for (std::size_t k = 0; k < K; ++k) total += std::exp(joint[k] - top);
    const long double weight = weighted ? w[i] : 1.0;
    for (std::size_t k = 0; k < K; ++k) {
      for (std::size_t j = 0; j < p; ++j) want[k * p + j] += weight * std::exp(joint[k] - top) / total * phi[j];
    }
    want[K * p] += weight * (top + std::log(total));
    want[K * p + 1] += weight;
  }
  long double largest = 1;
  for (const auto v : want) largest = std::max(largest, std::fabs(v));
  for (std::size_t i = 0; i < want.size(); ++i) CHECK(std::fabs(want[i] - sums[i]) <= 1e-10L * largest);
}

// Along Aᵀ δ with rows of A and δ, or along given slopes: (g + α w) share.
template <class T>
void adam(std::size_t rows, std::size_t k, std::size_t n) {
  const auto w = draw<T>(k * n), m = draw<T>(k * n), a = draw<T>(rows * k), delta = draw<T>(rows * n);
  auto s = draw<T>(k * n), g = std::vector<T>(k * n);
  for (auto& v : s) v = std::fabs(v);
  surefit::products::multiply(a.data(), delta.data(), g.data(), k, n, rows, true, 1);
  std::vector<T> moved[3], means[3], squares[3];
  for (int way = 0; way < 3; ++way) {
    moved[way] = w, means[way] = m, squares[way] = s;
    const surefit::network::AdamStep<T> step{moved[way].data(), means[way].data(), squares[way].data(), T(0.5), T(0.25),
                                             T(0.9), T(0.1), T(0.999), T(0.001), T(1e-8), T(0.01)};
    if (way == 0) {
      surefit::network::descend(g.data(), step, k * n, 1);
    } else {
      surefit::network::descend(a.data(), delta.data(), step, rows, n, k, way);
    }
  }
  CHECK(moved[1] == moved[2] && means[1] == means[2] && squares[1] == squares[2]);
  for (std::size_t i = 0; i < k * n; ++i) {
    const long double slope = (g[i] + T(0.5) * static_cast<long double>(w[i])) * T(0.25);
    const long double mean = T(0.9) * static_cast<long double>(m[i]) + T(0.1) * slope;
    const long double square = T(0.999) * static_cast<long double>(s[i]) + T(0.001) * slope * slope;
    const long double wanted = w[i] - T(0.01) * (mean / (std::sqrt(square) + T(1e-8)));
    const long double room = 16 * std::numeric_limits<T>::epsilon(), size = 1 + std::fabs(w[i]) + std::fabs(g[i]);
    for (int way = 0; way < 2; ++way) {
      CHECK(std::fabs(means[way][i] - mean) <= room * (size + std::fabs(m[i])));
      CHECK(std::fabs(squares[way][i] - square) <= room * (square + size * size * T(0.001)));
      CHECK(std::fabs(moved[way][i] - wanted) <= room * (size + std::fabs(wanted - w[i]) + std::fabs(m[i])) * 4);
    }
  }
}

}  // namespace

int main() {
  for (bool turned : {false, true}) {
    for (std::size_t m : {0u, 1u, 7u, 97u}) {
      for (std::size_t n : {1u, 10u, 40u, 70u}) {
        for (std::size_t k : {0u, 1u, 130u, 260u}) {
          products<float>(m, n, k, turned);
          products<double>(m, n, k, turned);
        }
      }
    }
  }
  for (bool full : {false, true}) {
    for (std::size_t d : {1u, 2u, 9u}) {
      for (std::size_t K : {1u, 3u, 40u}) {
        mixtures<double>(200, d, K, full, K == 3);
        mixtures<float>(97, d, K, full, K == 1);
      }
    }
  }
  for (std::size_t n : {1u, 37u, 200u}) {
    adam<float>(50, 100, n);
    adam<double>(50, 100, n);
  }
  return 0;
}
