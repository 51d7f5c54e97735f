// Products of sparse rows, both ways, against dense sums in long double, under the sanitizers.
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"
#include "summaries/row_products.hpp"

namespace {

template <class T, class Index>
struct Sparse {
  std::vector<T> data;
  std::vector<Index> indices, indptr{0};
  surefit::CsrRows<T, Index> part(std::size_t n_inner) const {
    return {data.data(), indices.data(), indptr.data(), indptr.size() - 1, n_inner};
  }
};

// Σ w z x and Σ w z², z = x·v − 0.5 − c, against long double.
template <class T, class Index>
void check_normal(const surefit::CsrRows<T, Index>& rows, const std::vector<T>& dense) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> v(rows.d), c(rows.n), w(rows.n), sums(rows.d);
  for (auto* one : {&v, &c, &w}) {
    for (auto& x : *one) x = normal(random);
  }
  const auto all = surefit::row_products::normal_product(rows, v.data(), 0.5, c.data(), w.data(), 2, sums.data());
  std::vector<long double> want(rows.d);
  long double total = 0, squares = 0;
  for (std::size_t i = 0; i < rows.n; ++i) {
    long double z = -0.5L - c[i];
    for (std::size_t j = 0; j < rows.d; ++j) z += static_cast<long double>(dense[i * rows.d + j]) * v[j];
    total += w[i] * z;
    squares += w[i] * z * z;
    for (std::size_t j = 0; j < rows.d; ++j) want[j] += w[i] * z * dense[i * rows.d + j];
  }
  CHECK(std::fabs(static_cast<double>(total) - all.total) < 1e-9);
  CHECK(std::fabs(static_cast<double>(squares) - all.squares) < 1e-9);
  for (std::size_t j = 0; j < rows.d; ++j) CHECK(std::fabs(static_cast<double>(want[j]) - sums[j]) < 1e-9);
}

template <class T, class Index>
void check(std::size_t n, std::size_t d, std::size_t m, double density) {
  std::mt19937 random(static_cast<unsigned>(n * 31 + d * 7 + m));
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<T> dense(n * d);
  for (auto& v : dense) v = uniform(random) < density ? static_cast<T>(normal(random)) : T{0};
  Sparse<T, Index> rows, columns;
  const auto gather = [&](Sparse<T, Index>& to, std::size_t outer, std::size_t inner, auto at) {
    for (std::size_t i = 0; i < outer; ++i) {
      for (std::size_t j = 0; j < inner; ++j) {
        if (at(i, j) == 0) continue;
        to.data.push_back(at(i, j));
        to.indices.push_back(static_cast<Index>(j));
      }
      to.indptr.push_back(static_cast<Index>(to.data.size()));
    }
  };
  gather(rows, n, d, [&](std::size_t i, std::size_t j) { return dense[i * d + j]; });
  gather(columns, d, n, [&](std::size_t j, std::size_t i) { return dense[i * d + j]; });
  std::vector<double> w(d * m), b(m), r(m * n), scores(n * m), sums(m * d);
  for (auto* v : {&w, &b, &r}) {
    for (auto& x : *v) x = normal(random);
  }
  if (n > 0) check_normal(rows.part(d), dense);
  surefit::row_products::scores(rows.part(d), w.data(), b.data(), m, 2, scores.data());
  surefit::row_products::column_sums(columns.part(n), r.data(), m, 8, 2, sums.data());
  for (std::size_t k = 0; k < m; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      long double want = b[k];
      for (std::size_t j = 0; j < d; ++j) want += static_cast<long double>(dense[i * d + j]) * w[j * m + k];
      CHECK(std::fabs(static_cast<double>(want) - scores[i * m + k]) < 1e-11);
    }
    for (std::size_t j = 0; j < d; ++j) {
      long double want = 0;
      for (std::size_t i = 0; i < n; ++i) want += static_cast<long double>(dense[i * d + j]) * r[k * n + i];
      CHECK(std::fabs(static_cast<double>(want) - sums[k * d + j]) < 1e-11);
    }
  }
}

}  // namespace

int main() {
  for (std::size_t m : {1u, 3u}) {
    for (double density : {0.0, 0.01, 0.5}) {
      check<double, std::int32_t>(300, 40, m, density);
      check<double, std::int32_t>(0, 4, m, density);
      check<float, std::int64_t>(1, 5, m, density);
      check<float, std::int32_t>(77, 3, m, density);
      check<double, std::int64_t>(9, 200, m, density);
    }
  }
  return 0;
}
