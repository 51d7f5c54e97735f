// Class moments on random rows, against sums in long double, under the sanitizers.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "summaries/class_moments.hpp"

template <class T>
using Labelled = surefit::LabelledRows<surefit::DenseRows<T>>;

namespace {

struct Result {
  std::vector<double> weights, means, products;
  std::vector<std::int64_t> counts;
};

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

template <class T>
Result run(const Labelled<T>& rows, bool pooled, std::size_t leaf_rows, int n_threads) {
  const std::size_t c = rows.n_classes, d = rows.x.d;
  Result r{std::vector<double>(c, NAN), std::vector<double>(c * d, NAN),
           std::vector<double>((pooled ? 1 : c) * d * d, NAN), std::vector<std::int64_t>(c, -1)};
  surefit::class_moments::fold(rows, pooled, leaf_rows, n_threads,
                               {r.weights.data(), r.counts.data(), r.means.data(), r.products.data()});
  return r;
}

template <class T>
void check_against_sums(const Labelled<T>& rows, const Result& got, bool pooled) {
  const std::size_t d = rows.x.d, n_classes = rows.n_classes;
  std::vector<long double> weight(n_classes), mean(n_classes * d), products(got.products.size());
  const auto w = [&](std::size_t k) -> long double { return rows.w ? rows.w[k] : 1; };
  for (std::size_t k = 0; k < rows.x.n; ++k) {
    const auto c = static_cast<std::size_t>(rows.classes[k]);
    weight[c] += w(k);
    for (std::size_t j = 0; j < d; ++j) mean[c * d + j] += w(k) * static_cast<long double>(rows.x.x[k * d + j]);
  }
  for (std::size_t c = 0; c < n_classes; ++c) {
    for (std::size_t j = 0; j < d; ++j) mean[c * d + j] = weight[c] == 0 ? 0 : mean[c * d + j] / weight[c];
  }
  for (std::size_t k = 0; k < rows.x.n; ++k) {
    const auto c = static_cast<std::size_t>(rows.classes[k]);
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        products[(pooled ? 0 : c) * d * d + i * d + j] +=
            w(k) * (static_cast<long double>(rows.x.x[k * d + i]) - mean[c * d + i]) *
            (static_cast<long double>(rows.x.x[k * d + j]) - mean[c * d + j]);
      }
    }
  }
  const double scale = 1e-12 * (1 + static_cast<double>(rows.x.n) * 16);
  for (std::size_t c = 0; c < n_classes; ++c) CHECK(std::fabs(got.weights[c] - double(weight[c])) <= 1e-10);
  for (std::size_t i = 0; i < mean.size(); ++i) CHECK(std::fabs(got.means[i] - double(mean[i])) <= 1e-11);
  for (std::size_t i = 0; i < products.size(); ++i) CHECK(std::fabs(got.products[i] - double(products[i])) <= scale);
}

template <class T>
void test_rows() {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(2, 1);
  for (std::size_t n : {0, 1, 2, 31, 700}) {
    for (std::size_t d : {1, 3, 8, 25}) {
      for (std::size_t n_classes : {1, 2, 7, 300}) {
        std::vector<T> x(n * d);  // exactly as large as needed: a read beyond the end is seen
        std::vector<std::int32_t> classes(n);
        std::vector<double> w(n);
        for (auto& v : x) v = static_cast<T>(normal(random));
        for (auto& v : classes) v = static_cast<std::int32_t>(random() % n_classes);
        for (auto& v : w) v = random() % 4 == 0 ? 0.0 : static_cast<double>(random() % 1000) / 256;
        for (const double* weights : {static_cast<const double*>(nullptr), static_cast<const double*>(w.data())}) {
          const Labelled<T> rows{{x.data(), n, d}, classes.data(), n_classes, weights};
          for (const bool pooled : {true, false}) {
            const Result one = run(rows, pooled, 128, 1);
            check_against_sums(rows, one, pooled);
            const Result three = run(rows, pooled, 128, 3);
            CHECK(same(one.weights, three.weights) && same(one.means, three.means) &&
                  same(one.products, three.products) && one.counts == three.counts);
          }
        }
      }
    }
  }
}

void test_bad_class() {
  const double x[] = {1, 2};
  for (const std::int32_t wrong : {-1, 2}) {
    const std::int32_t classes[] = {0, wrong};
    bool refused = false;
    try {
      run(Labelled<double>{{x, 2, 1}, classes, 2, nullptr}, true, 1, 2);
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused);
  }
}

}  // namespace

int main() {
  test_rows<float>();
  test_rows<double>();
  test_bad_class();
  return 0;
}
