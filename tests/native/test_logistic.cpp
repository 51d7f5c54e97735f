// The pass of logistic regression on hand-made and on random rows, against sums in long double, under the sanitizers.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "linear_model/logistic.hpp"
#include "linear_model/logistic_csr.hpp"

namespace {

template <class T>
struct Problem {
  std::vector<T> x;
  std::vector<double> y, w, coef, intercept;
  surefit::logistic::Problem<T> rows;

  Problem(std::size_t n, std::size_t d, std::size_t m, unsigned seed)
      : x(n * d), y(n), w(n), coef(m * d), intercept(m) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (auto& v : x) v = static_cast<T>(normal(random));
    for (auto& v : y) v = static_cast<double>(random() % (m == 1 ? 2 : m));
    for (auto& v : w) v = static_cast<double>(random() % 3);
    for (auto& v : coef) v = normal(random);
    for (auto& v : intercept) v = normal(random);
    rows = {{x.data(), n, d}, y.data(), w.data(), coef.data(), intercept.data(), {d, m, true}};
  }
};

template <class T>
void check_pass(std::size_t n, std::size_t d, std::size_t m, bool single, double tolerance) {
  const Problem<T> problem(n, d, m, static_cast<unsigned>(n * 31 + d * 7 + m));
  const auto& rows = problem.rows;
  std::vector<double> sums(rows.shape.size(), std::numeric_limits<double>::quiet_NaN());
  surefit::logistic::pass(rows, single, 64, 2, sums.data());
  long double loss = 0;
  std::vector<long double> gradient(m * d), gradient_b(m);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<long double> z(m == 1 ? 2 : m);
    for (std::size_t k = 0; k < m; ++k) {
      long double s = rows.intercept[k];
      for (std::size_t j = 0; j < d; ++j) s += static_cast<long double>(rows.x.x[i * d + j]) * rows.coef[k * d + j];
      z[m == 1 ? 1 : k] = s;
    }
    long double total = 0;
    for (const auto s : z) total += std::exp(s);
    const auto own = static_cast<std::size_t>(rows.y[i]);
    loss += rows.w[i] * (std::log(total) - z[own]);
    for (std::size_t k = 0; k < m; ++k) {
      const std::size_t c = m == 1 ? 1 : k;
      const long double r = rows.w[i] * (std::exp(z[c]) / total - (own == c ? 1 : 0));
      gradient_b[k] += r;
      for (std::size_t j = 0; j < d; ++j) gradient[k * d + j] += r * static_cast<long double>(rows.x.x[i * d + j]);
    }
  }
  const double scale = tolerance * static_cast<double>(n);
  CHECK(std::fabs(sums[0] - static_cast<double>(loss)) <= scale);
  for (std::size_t k = 0; k < m; ++k) {
    CHECK(std::fabs(sums[rows.shape.gradient_b() + k] - static_cast<double>(gradient_b[k])) <= scale);
    for (std::size_t j = 0; j < d; ++j) {
      CHECK(std::fabs(sums[rows.shape.gradient() + k * d + j] - static_cast<double>(gradient[k * d + j])) <= scale);
    }
  }
  std::vector<double> again(sums.size());
  surefit::logistic::pass(rows, single, 64, 1, again.data());
  CHECK(std::memcmp(sums.data(), again.data(), sums.size() * sizeof(double)) == 0);
}

void check_curvature() {
  const Problem<float> problem(200, 5, 1, 3);
  std::vector<double> curvature(200);
  auto rows = problem.rows;
  rows.y = nullptr;
  surefit::logistic::row_curvature(rows, 64, 2, curvature.data());
  for (std::size_t i = 0; i < 200; ++i) {
    double z = rows.intercept[0];
    for (std::size_t j = 0; j < 5; ++j) z += static_cast<double>(rows.x.x[i * 5 + j]) * rows.coef[j];
    const double p = 1 / (1 + std::exp(-z));
    CHECK(std::fabs(curvature[i] - rows.w[i] * p * (1 - p)) <= 1e-12);
  }
}

void check_refusals() {
  Problem<double> problem(5, 2, 3, 1);
  problem.y[4] = 3;
  std::vector<double> sums(problem.rows.shape.size());
  bool refused = false;
  try {
    surefit::logistic::pass(problem.rows, false, 64, 1, sums.data());
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}

}  // namespace

// Full CSR rows give what dense rows give.
void check_sparse_rows() {
  const std::size_t n = 300, d = 7;
  Problem<double> problem(n, d, 1, 11);
  std::vector<std::int32_t> indices(n * d), indptr(n + 1);
  for (std::size_t i = 0; i < n; ++i) {
    indptr[i + 1] = static_cast<std::int32_t>((i + 1) * d);
    for (std::size_t j = 0; j < d; ++j) indices[i * d + j] = static_cast<std::int32_t>(j);
  }
  std::vector<double> sums(problem.rows.shape.size()), slopes(n);
  surefit::logistic::pass(problem.rows, false, 64, 2, sums.data());
  const surefit::CsrRows<double, std::int32_t> rows{problem.x.data(), indices.data(), indptr.data(), n, d};
  const surefit::logistic::SparseProblem<double, std::int32_t> sparse{rows, problem.y.data(), problem.rows.w,
                                                                      problem.coef.data(), problem.intercept[0]};
  const auto all = surefit::logistic::sparse_rows(sparse, 64, 2, slopes.data());
  CHECK(std::fabs(all.loss - sums[0]) < 1e-10);
  CHECK(std::fabs(all.spread - sums[1]) < 1e-12);
  CHECK(std::fabs(all.margin - sums[2]) < 1e-12);
  CHECK(std::fabs(all.slope - sums[problem.rows.shape.gradient_b()]) < 1e-10);
  CHECK(std::fabs(all.curvature - sums[problem.rows.shape.curvature()]) < 1e-10);
  indices[5] = static_cast<std::int32_t>(d);
  bool refused = false;
  try {
    surefit::logistic::sparse_rows(sparse, 64, 2, slopes.data());
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}

int main() {
  check_sparse_rows();
  for (const std::size_t n : {1, 3, 63, 64, 65, 300}) {
    for (const std::size_t d : {1, 2, 7, 16, 33}) {
      for (const std::size_t m : {1, 3, 4, 5, 9}) {
        check_pass<double>(n, d, m, false, 1e-12);
        check_pass<float>(n, d, m, false, 1e-12);
        check_pass<float>(n, d, m, true, m == 1 ? 1e-12 : 2e-4);
      }
    }
  }
  check_curvature();
  check_refusals();
}
