// Class sums, spreads and category counts on random rows, against sums in long double, under the sanitizers.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "summaries/class_statistics.hpp"

namespace stats = surefit::class_statistics;
template <class T>
using ClassRows = surefit::LabelledRows<surefit::DenseRows<T>>;
template <class T, class Index>
using SparseClassRows = surefit::LabelledRows<surefit::CsrRows<T, Index>>;

namespace {

constexpr std::size_t kClasses = 3;

// Exactly as large as needed: a read beyond the end is an error the address sanitizer sees.
template <class T>
struct Data {
  std::vector<T> x;
  std::vector<std::int32_t> classes;
  std::vector<double> w;
  std::size_t n, d;

  Data(std::size_t n_rows, std::size_t n_features) : x(n_rows * n_features), classes(n_rows), w(n_rows), n(n_rows), d(n_features) {
    std::mt19937_64 random(7 * n + d);
    for (auto& v : x) v = static_cast<T>(random() % 6);
    for (auto& c : classes) c = static_cast<std::int32_t>(random() % kClasses);
    for (auto& v : w) v = static_cast<double>(random() % 9) / 4;
  }
  ClassRows<T> rows(bool weighted) const {
    return {{x.data(), n, d}, classes.data(), kClasses, weighted ? w.data() : nullptr};
  }
};

template <class T>
void test_sums(std::size_t n, std::size_t d, bool weighted, const double* threshold, std::size_t leaf_rows) {
  const Data<T> data(n, d);
  const double unset = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> weights(kClasses, unset), sums(kClasses * d, unset), want(kClasses * d), again(kClasses * d);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      const double x = static_cast<double>(data.x[i * d + j]), w = weighted ? data.w[i] : 1;
      want[static_cast<std::size_t>(data.classes[i]) * d + j] += threshold ? (x > *threshold ? w : 0) : w * x;
    }
  }
  const auto seen = stats::class_sums(data.rows(weighted), threshold, leaf_rows, 1, weights.data(), sums.data());
  CHECK(!seen.negative && !seen.not_finite);
  CHECK(sums == want);  // quarters: sums are exact
  stats::class_sums(data.rows(weighted), threshold, leaf_rows, 3, weights.data(), again.data());
  CHECK(again == want);
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += weighted ? data.w[i] : 1;
  CHECK(weights[0] + weights[1] + weights[2] == total);
}

template <class T>
void test_spread(std::size_t n, std::size_t d, bool weighted, bool missing, std::size_t leaf_rows) {
  Data<T> data(n, d);
  for (auto& v : data.x) v += static_cast<T>(1000);
  if (missing) {
    for (std::size_t k = 0; k < data.x.size(); k += 3) data.x[k] = std::numeric_limits<T>::quiet_NaN();
  }
  std::vector<double> weights(kClasses), own(kClasses * d), means(kClasses * d), lows(kClasses * d),
      squares(kClasses * d), other(kClasses * d);
  stats::class_spread(data.rows(weighted), leaf_rows, 1, weights.data(), missing ? own.data() : nullptr, means.data(),
                        lows.data(), squares.data());
  for (std::size_t c = 0; c < kClasses; ++c) {
    for (std::size_t j = 0; j < d; ++j) {
      long double W = 0, sum = 0, Q = 0;
      const auto each = [&](const auto& use) {
        for (std::size_t i = 0; i < n; ++i) {
          const long double x = data.x[i * d + j];
          if (static_cast<std::size_t>(data.classes[i]) == c && !std::isnan(x)) use(x, weighted ? data.w[i] : 1.0L);
        }
      };
      each([&](long double x, long double w) { W += w, sum += w * x; });
      const long double mean = W > 0 ? sum / W : 0;
      each([&](long double x, long double w) { Q += w * (x - mean) * (x - mean); });
      CHECK(std::fabs(means[c * d + j] - static_cast<double>(mean)) <= 1e-11);
      CHECK(std::fabs(squares[c * d + j] - static_cast<double>(Q)) <= 1e-9 * static_cast<double>(1 + Q));
      if (missing) CHECK(own[c * d + j] == static_cast<double>(W));
    }
  }
  stats::class_spread(data.rows(weighted), leaf_rows, 3, weights.data(), missing ? own.data() : nullptr, means.data(),
                        lows.data(), other.data());
  CHECK(other.empty() || std::memcmp(other.data(), squares.data(), squares.size() * sizeof(double)) == 0);
}

template <class T>
void test_categories(std::size_t n, std::size_t d, bool weighted) {
  const Data<T> data(n, d);
  std::vector<std::int64_t> starts(d + 1);
  for (std::size_t j = 0; j < d; ++j) starts[j + 1] = starts[j] + 6 + static_cast<std::int64_t>(j % 2);
  const auto width = static_cast<std::size_t>(starts[d]);
  std::vector<double> weights(kClasses), counts(kClasses * width), want(kClasses * width);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      const auto at = static_cast<std::size_t>(starts[j]) + static_cast<std::size_t>(data.x[i * d + j]);
      want[static_cast<std::size_t>(data.classes[i]) * width + at] += weighted ? data.w[i] : 1;
    }
  }
  stats::category_counts(data.rows(weighted), starts.data(), 64, 3, weights.data(), counts.data());
  CHECK(counts == want);
  if (n == 0) return;
  std::vector<T> lowest(d), highest(d);
  const auto seen = stats::column_range(surefit::DenseRows<T>{data.x.data(), n, d}, 2, lowest.data(), highest.data());
  CHECK(!seen.negative && !seen.not_finite);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < n; ++i) CHECK(lowest[j] <= data.x[i * d + j] && data.x[i * d + j] <= highest[j]);
  }
}

template <class T, class Index>
void test_sparse(std::size_t n, std::size_t d) {
  const Data<T> data(n, d);
  std::vector<T> stored;
  std::vector<Index> indices, indptr{0};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      if (data.x[i * d + j] == T(0)) continue;
      stored.push_back(data.x[i * d + j]);
      indices.push_back(static_cast<Index>(j));
    }
    indptr.push_back(static_cast<Index>(stored.size()));
  }
  SparseClassRows<T, Index> rows{
      {stored.data(), indices.data(), indptr.data(), n, d}, data.classes.data(), kClasses, data.w.data()};
  std::vector<double> weights(kClasses), sums(kClasses * d), dense(kClasses * d);
  stats::class_sums(rows, nullptr, 32, 3, weights.data(), sums.data());
  stats::class_sums(data.rows(true), nullptr, 32, 1, weights.data(), dense.data());
  CHECK(sums == dense);
}

// Wide rows with few entries, which are summed column by column: the bits are those of dense rows.
void test_wide() {
  constexpr std::size_t n = 500, d = 2000;
  std::mt19937_64 random(11);
  std::vector<double> dense(n * d), stored;
  std::vector<std::int32_t> indices, indptr{0}, classes(n);
  for (std::size_t i = 0; i < n; ++i) {
    classes[i] = static_cast<std::int32_t>(random() % kClasses);
    for (std::size_t j = random() % 100; j < d; j += 1 + random() % 200) {
      dense[i * d + j] = static_cast<double>(random() % 1000) / 7;
      stored.push_back(dense[i * d + j]);
      indices.push_back(static_cast<std::int32_t>(j));
    }
    indptr.push_back(static_cast<std::int32_t>(stored.size()));
  }
  const SparseClassRows<double, std::int32_t> rows{
      {stored.data(), indices.data(), indptr.data(), n, d}, classes.data(), kClasses, nullptr};
  const ClassRows<double> whole{{dense.data(), n, d}, classes.data(), kClasses, nullptr};
  std::vector<double> weights(kClasses), again(kClasses), sums(kClasses * d), want(kClasses * d);
  stats::class_sums(whole, nullptr, 32, 1, again.data(), want.data());
  for (int n_threads : {1, 3}) {
    stats::class_sums(rows, nullptr, 32, n_threads, weights.data(), sums.data());
    CHECK(sums == want && weights == again);
  }
}

template <class Body>
bool refused(Body&& body) {
  try {
    body();
  } catch (const std::invalid_argument&) {
    return true;
  }
  return false;
}

void test_refusals() {
  Data<double> data(4, 2);
  std::vector<double> weights(kClasses), sums(kClasses * 2), counts(kClasses * 4);
  const std::int64_t starts[] = {0, 1, 2};
  data.x[3] = 5;
  CHECK(refused([&] { stats::category_counts(data.rows(false), starts, 8, 1, weights.data(), counts.data()); }));
  data.x[3] = -1;
  CHECK(stats::class_sums(data.rows(false), nullptr, 8, 1, weights.data(), sums.data()).negative);
  data.x[3] = std::numeric_limits<double>::infinity();
  const double threshold = 0;
  CHECK(stats::class_sums(data.rows(false), nullptr, 8, 1, weights.data(), sums.data()).not_finite);
  CHECK(stats::class_sums(data.rows(false), &threshold, 8, 1, weights.data(), sums.data()).not_finite);
  data.classes[2] = 3;
  CHECK(refused([&] { stats::class_sums(data.rows(false), nullptr, 8, 1, weights.data(), sums.data()); }));
}

template <class T>
void test_all() {
  const double threshold = 2;
  for (std::size_t n : {0, 1, 33, 700}) {
    for (std::size_t d : {1, 7, 40}) {
      for (bool weighted : {false, true}) {
        for (std::size_t leaf_rows : {16, 256}) {
          test_sums<T>(n, d, weighted, nullptr, leaf_rows);
          test_sums<T>(n, d, weighted, &threshold, leaf_rows);
          test_spread<T>(n, d, weighted, false, leaf_rows);
        }
        test_categories<T>(n, d, weighted);
      }
    }
  }
}

}  // namespace

int main() {
  test_all<float>();
  test_all<double>();
  test_all<std::int32_t>();
  test_all<std::int64_t>();
  for (bool weighted : {false, true}) {
    test_spread<float>(500, 9, weighted, true, 64);
    test_spread<double>(500, 9, weighted, true, 64);
  }
  test_sparse<float, std::int32_t>(300, 20);
  test_sparse<double, std::int64_t>(300, 20);
  test_wide();
  test_refusals();
  return 0;
}
