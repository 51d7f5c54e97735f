// The moments on hand-made and on random rows, against sums in long double, under the sanitizers.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "summaries/moments.hpp"

using surefit::CsrRows;
using surefit::DenseRows;
using surefit::moments::TargetRows;

namespace {

struct Result {
  double weight;
  std::vector<double> mean, products, low;
};

bool same_bits(const Result& a, const Result& b) {
  return a.weight == b.weight &&
         (a.mean.empty() || std::memcmp(a.mean.data(), b.mean.data(), a.mean.size() * sizeof(double)) == 0) &&
         (a.low.empty() || std::memcmp(a.low.data(), b.low.data(), a.low.size() * sizeof(double)) == 0) &&
         (a.mean.empty() || std::memcmp(a.products.data(), b.products.data(), a.products.size() * sizeof(double)) == 0);
}

template <class X>
Result run(const TargetRows<X>& rows, std::size_t leaf_rows, int n_threads) {
  const std::size_t p = rows.x.d + rows.n_targets;
  const double unset = std::numeric_limits<double>::quiet_NaN();
  Result result{0, std::vector<double>(p, unset), std::vector<double>(p * p, unset), std::vector<double>(p, unset)};
  result.weight =
      surefit::moments::fold(rows, leaf_rows, n_threads, result.mean.data(), result.low.data(), result.products.data());
  return result;
}

// z = [x, y] in long double, two sweeps.
template <class T>
void check_against_sums(const TargetRows<DenseRows<T>>& rows, const Result& got, double tolerance) {
  const std::size_t p = rows.x.d + rows.n_targets;
  const auto z = [&](std::size_t k, std::size_t j) -> long double {
    return j < rows.x.d ? static_cast<long double>(rows.x.x[k * rows.x.d + j])
                        : static_cast<long double>(rows.y[k * rows.n_targets + j - rows.x.d]);
  };
  long double weight = 0;
  std::vector<long double> mean(p), products(p * p);
  for (std::size_t k = 0; k < rows.x.n; ++k) {
    const long double w = rows.w ? rows.w[k] : 1;
    weight += w;
    for (std::size_t j = 0; j < p; ++j) mean[j] += w * z(k, j);
  }
  for (auto& m : mean) m = weight == 0 ? 0 : m / weight;
  for (std::size_t k = 0; k < rows.x.n; ++k) {
    const long double w = rows.w ? rows.w[k] : 1;
    for (std::size_t i = 0; i < p; ++i)
      for (std::size_t j = 0; j < p; ++j) products[i * p + j] += w * (z(k, i) - mean[i]) * (z(k, j) - mean[j]);
  }
  CHECK(std::fabs(got.weight - static_cast<double>(weight)) <= tolerance * static_cast<double>(weight));
  for (std::size_t i = 0; i < p; ++i) {
    CHECK(std::fabs(got.mean[i] - static_cast<double>(mean[i])) <= tolerance * (1 + std::fabs(got.mean[i])));
    for (std::size_t j = 0; j < p; ++j) {
      const double scale = std::sqrt(static_cast<double>(products[i * p + i] * products[j * p + j]));
      const double expected = static_cast<double>(products[i * p + j]);
      CHECK(std::fabs(got.products[i * p + j] - expected) <= tolerance * (scale + 1e-9));
      CHECK(got.products[i * p + j] == got.products[j * p + i]);
    }
  }
}

template <class T>
void test_dense() {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(2, 1);
  for (std::size_t n : {0, 1, 2, 31, 257, 1300}) {
    for (std::size_t d : {0, 1, 3, 8, 25, 48}) {
      for (std::size_t t : {0, 1, 3, 17}) {
        // exactly as large as needed: a read beyond the end is an error the address sanitizer sees
        std::vector<T> x(n * d);
        std::vector<double> y(n * t), w(n);
        for (auto& v : x) v = static_cast<T>(normal(random));
        for (auto& v : y) v = normal(random);
        for (auto& v : w) v = random() % 4 == 0 ? 0.0 : static_cast<double>(random() % 1000) / 256;
        for (const double* weights : {static_cast<const double*>(nullptr), static_cast<const double*>(w.data())}) {
          const TargetRows<DenseRows<T>> rows{{x.data(), n, d}, t ? y.data() : nullptr, t, weights};
          for (std::size_t leaf_rows : {1, 100, 512, 4096}) {
            if (leaf_rows == 1 && n > 300) continue;
            const Result one = run(rows, leaf_rows, 1);
            check_against_sums(rows, one, 1e-12);
            CHECK(same_bits(one, run(rows, leaf_rows, 3)));
          }
        }
      }
    }
  }
}

// More numbers than are kept once per thread: the threads share the blocks of one leaf.
void test_wide() {
  constexpr std::size_t n = 40, d = 1600;
  std::vector<float> x(n * d);
  std::mt19937 random(3);
  for (auto& v : x) v = static_cast<float>(random() % 64) / 8;
  const TargetRows<DenseRows<float>> rows{{x.data(), n, d}, nullptr, 0, nullptr};
  const Result one = run(rows, 16, 1);
  CHECK(same_bits(one, run(rows, 16, 2)));
  for (std::size_t j : {std::size_t{0}, std::size_t{77}, d - 1}) {
    const std::size_t i = d / 2;
    double mean_i = 0, mean_j = 0, product = 0;
    for (std::size_t k = 0; k < n; ++k) mean_i += x[k * d + i] / double(n), mean_j += x[k * d + j] / double(n);
    for (std::size_t k = 0; k < n; ++k) product += (x[k * d + i] - mean_i) * (x[k * d + j] - mean_j);
    CHECK(std::fabs(one.products[i * d + j] - product) <= 1e-10 * n * 64);
  }
}

template <class T, class Index>
void test_sparse() {
  std::mt19937_64 random(5);
  for (std::size_t n : {0, 1, 40, 600}) {
    for (std::size_t d : {1, 7, 30}) {
      std::vector<T> dense(n * d), data;
      std::vector<Index> indices, indptr{0};
      std::vector<double> y(n), w(n);
      for (std::size_t k = 0; k < n; ++k) {
        y[k] = static_cast<double>(random() % 100);
        w[k] = static_cast<double>(random() % 3);
        for (std::size_t j = d; j-- > 0;) {  // decreasing: not the sorted order
          const std::size_t column = k % 2 ? j : d - 1 - j;
          if (random() % 3) continue;
          dense[k * d + column] = static_cast<T>(static_cast<double>(random() % 512) / 64 - 4);
          data.push_back(dense[k * d + column]);
          indices.push_back(static_cast<Index>(column));
        }
        indptr.push_back(static_cast<Index>(data.size()));
      }
      const TargetRows<CsrRows<T, Index>> rows{
          {data.data(), indices.data(), indptr.data(), n, d}, y.data(), 1, w.data()};
      const Result one = run(rows, 64, 1);
      check_against_sums(TargetRows<DenseRows<T>>{{dense.data(), n, d}, y.data(), 1, w.data()}, one, 1e-11);
      CHECK(same_bits(one, run(rows, 64, 3)));
    }
  }
}

}  // namespace

int main() {
  test_dense<float>();
  test_dense<double>();
  test_wide();
  test_sparse<float, std::int32_t>();
  test_sparse<double, std::int64_t>();
  return 0;
}
