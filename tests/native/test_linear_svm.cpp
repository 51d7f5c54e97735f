// Passes and descents of linear support vector machines, under the sanitizers: dense and CSR alike, against plain loops,
// and the conditions of a minimum at the end.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"
#include "svm/clipped_pass.hpp"
#include "svm/crammer_singer.hpp"
#include "svm/dual_descent.hpp"

namespace {

std::mt19937 random_numbers(0);

struct Data {
  std::size_t n, d;
  std::vector<double> x, sign, cost, values;
  std::vector<std::int32_t> columns, ends, classes;

  Data(std::size_t n, std::size_t d) : n(n), d(d), x(n * d), sign(n), cost(n), classes(n) {
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    ends.push_back(0);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        const double v = uniform(random_numbers) < 0.7 ? normal(random_numbers) : 0.0;
        x[i * d + j] = v;
        if (v == 0) continue;
        values.push_back(v);
        columns.push_back(static_cast<std::int32_t>(j));
      }
      ends.push_back(static_cast<std::int32_t>(values.size()));
      sign[i] = uniform(random_numbers) < 0.5 ? -1 : 1;
      cost[i] = i % 7 == 3 ? 0.0 : uniform(random_numbers) + 0.1;
      classes[i] = static_cast<std::int32_t>(i % 3);
    }
  }
  surefit::DenseF64 dense() const { return {x.data(), n, d}; }
  surefit::CsrF64I32 csr() const { return {values.data(), columns.data(), ends.data(), n, d}; }
  double score(std::size_t i, const double* u, double scale) const {
    double z = scale * u[d];
    for (std::size_t j = 0; j < d; ++j) z += x[i * d + j] * u[j];
    return z;
  }
};

void passes(const Data& data) {
  std::normal_distribution<double> normal;
  std::vector<double> coef(2 * data.d), intercept{0.3, -0.2}, slack(2 * data.n), residual(data.n), sums(data.d + 1);
  std::vector<double> again(data.d + 1), slope(data.n, 0.8), shift(data.n, 0.1);
  for (auto& v : coef) v = normal(random_numbers);
  const surefit::clipped::Problem<double> problem{data.dense(), data.sign.data(), shift.data(),     slope.data(),
                                                  data.cost.data(), coef.data(),  intercept.data(), 2};
  surefit::clipped::pass(problem, 16, 1, slack.data(), residual.data(), sums.data());
  surefit::clipped::pass(problem, 16, 3, slack.data(), residual.data(), again.data());
  CHECK(sums == again);
  std::vector<double> want(data.d + 1);
  for (std::size_t i = 0; i < data.n; ++i) {
    double z = intercept[0];
    for (std::size_t j = 0; j < data.d; ++j) z += data.x[i * data.d + j] * coef[j];
    const double s = 1 - data.sign[i] * z, r = std::min(std::max(0.1 + 0.8 * s, 0.0), data.cost[i]);
    CHECK(std::fabs(slack[2 * i] - s) < 1e-12 && std::fabs(residual[i] - r) < 1e-12);
    for (std::size_t j = 0; j < data.d; ++j) want[j] += r * data.sign[i] * data.x[i * data.d + j];
    want[data.d] += r * data.sign[i];
  }
  for (std::size_t j = 0; j <= data.d; ++j) CHECK(std::fabs(sums[j] - want[j]) < 1e-10);
}

template <class X>
void descends(const Data& data, const X& rows, bool squared) {
  std::vector<double> upper = data.cost, diagonal(data.n), a(data.n), u(data.d + 1);
  for (std::size_t i = 0; i < data.n && squared; ++i) {
    if (data.cost[i] == 0) continue;
    upper[i] = 1e300;
    diagonal[i] = 0.5 / data.cost[i];
  }
  const surefit::dual_descent::Problem<X> problem{rows, data.sign.data(), upper.data(), diagonal.data(), 1.5};
  const auto done = surefit::dual_descent::descend(problem, {1e-9, 200000, 0}, a.data(), u.data());
  CHECK(done.all && done.breach <= 1e-9);
  for (std::size_t i = 0; i < data.n; ++i) {
    CHECK(a[i] >= 0 && a[i] <= upper[i]);
    if (data.cost[i] == 0) continue;
    const double slope = data.sign[i] * data.score(i, u.data(), 1.5) - 1 + diagonal[i] * a[i];
    if (a[i] == 0) CHECK(slope > -1e-6);
    if (a[i] == upper[i]) CHECK(slope < 1e-6);
    if (a[i] > 0 && a[i] < upper[i]) CHECK(std::fabs(slope) < 1e-6);
  }
}

template <class X>
void many_classes(const Data& data, const X& rows) {
  const std::size_t k = 3;
  std::vector<double> A(data.n * k), W((data.d + 1) * k);
  const surefit::crammer_singer::Problem<X> problem{rows, data.classes.data(), k, data.cost.data(), 1.0};
  const double breach = surefit::crammer_singer::descend(problem, 1e-4, 200000, 0, A.data(), W.data());
  CHECK(breach <= 1e-4);
  for (std::size_t i = 0; i < data.n; ++i) {
    double sum = 0;
    for (std::size_t m = 0; m < k; ++m) {
      sum += A[i * k + m];
      CHECK(A[i * k + m] <= (static_cast<std::size_t>(data.classes[i]) == m ? data.cost[i] : 0.0));
    }
    CHECK(std::fabs(sum) < 1e-12);
  }
}

}  // namespace

int main() {
  for (const auto& [n, d] : {std::pair<std::size_t, std::size_t>{1, 1}, {9, 2}, {40, 5}, {70, 19}}) {
    const Data data(n, d);
    passes(data);
    for (const bool squared : {false, true}) {
      descends(data, data.dense(), squared);
      descends(data, data.csr(), squared);
    }
    many_classes(data, data.dense());
    many_classes(data, data.csr());
  }
  return 0;
}
