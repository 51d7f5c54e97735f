// Widrow and Hoff's rule on random rows, dense and CSR, against the rule in long double, under the sanitizers.
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"
#include "linear_model/lms.hpp"

namespace {

namespace lms = surefit::lms;

template <class T>
struct Problem {
  std::vector<T> x, data;
  std::vector<std::int32_t> indices, indptr{0};
  std::vector<double> y, w, center, scale, target;
  std::vector<std::int64_t> order;
  lms::Visits<surefit::DenseRows<T>> rows;

  Problem(std::size_t n, std::size_t d, std::size_t k, lms::Rate rate, bool weights, unsigned seed)
      : x(n * d), y(n * k), w(n), center(d), scale(d), target(k) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        if (random() % 2) continue;
        x[i * d + j] = static_cast<T>(normal(random));
        data.push_back(x[i * d + j]);
        indices.push_back(static_cast<std::int32_t>(j));
      }
      indptr.push_back(static_cast<std::int32_t>(data.size()));
      w[i] = 0.25 * static_cast<double>(1 + random() % 8);
      total += weights ? w[i] : 1;
      order.push_back(static_cast<std::int64_t>((i * 7 + 3) % n));
    }
    for (auto& v : y) v = normal(random);
    for (auto& v : center) v = normal(random);
    for (auto& v : scale) v = 0.5 + std::fabs(normal(random));
    for (auto& v : target) v = normal(random);
    rows = {{x.data(), n, d}, y.data(),     order.data(),  weights ? w.data() : nullptr, n, k, center.data(),
            scale.data(),     target.data(), true,         rate,                         total};
  }
};

struct Walk {
  std::vector<double> coef, intercept, average, average_b;
  lms::State at;
  Walk(std::size_t k, std::size_t d) : coef(k * d), intercept(k), average(k * d), average_b(k) {
    at = {coef.data(), intercept.data(), average.data(), average_b.data(), 0, 0};
  }
};

template <class T>
void check(std::size_t n, std::size_t d, std::size_t k, lms::Rate rate, bool weights) {
  const Problem<T> problem(n, d, k, rate, weights, static_cast<unsigned>(n * 31 + d * 7 + k));
  const auto& rows = problem.rows;
  std::vector<long double> u(k * d), b(k), mean(k * d), mean_b(k);
  long double clock = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto number = static_cast<std::size_t>(rows.order[i]);
    std::vector<long double> x(d);
    long double q = 1;
    for (std::size_t j = 0; j < d; ++j) {
      x[j] = (static_cast<long double>(rows.x.x[number * d + j]) - rows.center[j]) * rows.scale[j];
      q += x[j] * x[j];
    }
    const long double weight = weights ? rows.w[i] : 1;
    const long double eta = rate.eta0 * std::pow(1 + clock / rate.period, -static_cast<long double>(rate.power));
    for (std::size_t t = 0; t < k; ++t) {
      long double r = rows.y[number * k + t] - rows.target[t] - b[t];
      for (std::size_t j = 0; j < d; ++j) r -= u[t * d + j] * x[j];
      long double delta = weight * eta * r;
      if (rate.capped && eta * q >= 1) {
        delta = r / q;
      } else if (eta * q <= 1) {
        delta = r * (1 - std::pow(1 - eta * q, weight)) / q;
      }
      for (std::size_t j = 0; j < d; ++j) {
        u[t * d + j] += delta * x[j];
        mean[t * d + j] += weight / rows.total * u[t * d + j];
      }
      b[t] += delta;
      mean_b[t] += weight / rows.total * b[t];
    }
    clock += weight;
  }
  Walk dense(k, d), sparse(k, d);
  lms::visit(rows, dense.at);
  const lms::Visits<surefit::CsrRows<T, std::int32_t>> csr{
      {problem.data.data(), problem.indices.data(), problem.indptr.data(), n, d},
      rows.y, rows.order, rows.w, n, k, rows.center, rows.scale, rows.target, true, rate, rows.total};
  lms::visit(csr, sparse.at);
  for (const Walk* walk : {&dense, &sparse}) {
    for (std::size_t e = 0; e < k * d; ++e) {
      CHECK(std::fabs(walk->coef[e] - static_cast<double>(u[e])) <= 1e-9);
      // an update of weight w counts as w iterates that are all the last of them
      CHECK(std::fabs(walk->average[e] - static_cast<double>(mean[e])) <= 1e-9);
    }
    for (std::size_t t = 0; t < k; ++t) {
      CHECK(std::fabs(walk->intercept[t] - static_cast<double>(b[t])) <= 1e-9);
      CHECK(std::fabs(walk->average_b[t] - static_cast<double>(mean_b[t])) <= 1e-9);
    }
    CHECK(walk->at.clock == static_cast<double>(clock) && walk->at.done == walk->at.clock);
  }
}

}  // namespace

int main() {
  for (const std::size_t n : {1, 2, 5, 20, 100}) {
    for (const std::size_t d : {1, 2, 7, 8, 16, 33}) {
      for (const std::size_t k : {1, 2}) {
        for (const bool weights : {false, true}) {
          check<double>(n, d, k, {0.001, 0, 1, false}, weights);
          check<float>(n, d, k, {0.002, 0.25, 1, false}, weights);
          check<double>(n, d, k, {0.01, 1, 10, true}, weights);
          check<float>(n, d, k, {1e3, 0, 1, true}, weights);
        }
      }
    }
  }
}
