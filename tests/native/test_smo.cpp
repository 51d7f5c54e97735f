// Sequential minimal optimization under the sanitizers: the conditions of a minimum at the end, sums of rows.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "svm/smo.hpp"
#include "svm/smo_turns.hpp"

namespace {

using surefit::smo::Outcome;

Outcome descend(const surefit::smo::Problem<float>& p, double eps, std::size_t most) {
  return SUREFIT_TABLE(smo_loops).single(p, eps, most);
}
Outcome descend(const surefit::smo::Problem<double>& p, double eps, std::size_t most) {
  return SUREFIT_TABLE(smo_loops).twice(p, eps, most);
}
void add(const surefit::smo::Combination<float>& c, std::size_t n, double* F) {
  SUREFIT_TABLE(smo_loops).add_single(c, 0, n, F);
}
void add(const surefit::smo::Combination<double>& c, std::size_t n, double* F) {
  SUREFIT_TABLE(smo_loops).add_twice(c, 0, n, F);
}

struct Case {
  std::size_t m, d;
  bool duplicates, indefinite;
};

template <class T>
void minimum(const Case& c) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<double> x(c.m * c.d), q(c.m), low(c.m), high(c.m), beta(c.m), diagonal(c.m), work(2 * c.m);
  for (auto& v : x) v = normal(random);
  if (c.duplicates) {
    for (std::size_t k = c.d; k < x.size(); ++k) x[k] = x[k % c.d];
  }
  std::vector<T> K(c.m * c.m);
  for (std::size_t i = 0; i < c.m; ++i) {
    for (std::size_t j = 0; j < c.m; ++j) {
      double s = 0;
      for (std::size_t k = 0; k < c.d; ++k) s += x[i * c.d + k] * x[j * c.d + k];
      K[i * c.m + j] = static_cast<T>(c.indefinite ? std::tanh(s - 1) : s);
    }
    diagonal[i] = K[i * c.m + i];
    q[i] = i % 2 ? 1 : -1;
    low[i] = i % 2 ? -2.0 : 0.0;
    high[i] = i % 2 ? 0.0 : 2.0;
  }
  std::vector<double> F = q;
  const surefit::smo::Problem<T> p{K.data(),    diagonal.data(), low.data(),          high.data(), beta.data(),
                                   F.data(),    work.data(),     work.data() + c.m,   c.m};
  const double eps = 1e-4;
  const Outcome out = descend(p, eps, 1000000);
  CHECK(out.violation <= eps || (c.m == 1));
  double sum = 0, grows = std::numeric_limits<double>::infinity(), falls = -grows;
  for (std::size_t i = 0; i < c.m; ++i) {
    CHECK(beta[i] >= low[i] && beta[i] <= high[i]);
    double f = q[i];
    for (std::size_t j = 0; j < c.m; ++j) f += static_cast<double>(K[i * c.m + j]) * beta[j];
    CHECK(std::fabs(f - F[i]) <= 1e-8 * (1 + std::fabs(f)));
    sum += beta[i];
    if (beta[i] < high[i]) grows = std::fmin(grows, f);
    if (beta[i] > low[i]) falls = std::fmax(falls, f);
  }
  CHECK(std::fabs(sum) < 1e-10);
  CHECK(!(falls - grows > 2 * eps));
  CHECK(descend(p, eps, 0).steps == 0);
}

template <class T>
void sums() {
  for (std::size_t n : {1u, 7u, 64u, 129u}) {
    for (std::size_t count : {0u, 1u, 4u, 6u}) {
      std::vector<T> held(count * n + 1);
      std::vector<const T*> rows(count);
      std::vector<double> factors(count), F(n, 0.5), expected(n, 0.5);
      for (std::size_t r = 0; r < count; ++r) {
        rows[r] = held.data() + r * n;
        factors[r] = 1.0 + static_cast<double>(r);
        for (std::size_t k = 0; k < n; ++k) {
          held[r * n + k] = static_cast<T>(k % 5) - static_cast<T>(r);
          expected[k] += factors[r] * static_cast<double>(held[r * n + k]);
        }
      }
      add({rows.data(), factors.data(), count}, n, F.data());
      for (std::size_t k = 0; k < n; ++k) CHECK(F[k] == expected[k]);  // small whole numbers: no rounding
    }
  }
}

// K = I and wide bounds: the minimum is β = mean(q) − q, and F = mean(q) everywhere.
void whole_solution(std::size_t m) {
  std::vector<double> K(m * m), q(m), low(m, -100.0), high(m, 100.0), beta(m), F(m);
  double mean = 0;
  for (std::size_t i = 0; i < m; ++i) {
    K[i * m + i] = 1;
    q[i] = static_cast<double>((7 * i) % 5);
    mean += q[i] / static_cast<double>(m);
  }
  const surefit::smo::Square problem{K.data(), q.data(), low.data(), high.data(), m};
  const auto turn = surefit::smo::turns(problem, {1e-3, 1e-1, 30 * m, 1e-13}, beta.data(), F.data());
  CHECK(turn.gap.gap < 1e-10);
  for (std::size_t i = 0; i < m; ++i) {
    CHECK(std::fabs(beta[i] - (mean - q[i])) < 1e-12);
    CHECK(std::fabs(F[i] - mean) < 1e-12);
  }
  F[0] = std::nan("");
  CHECK(std::isinf(surefit::smo::duality_gap(problem, beta.data(), F.data()).gap));
}

}  // namespace

int main() {
  for (std::size_t m : {1u, 2u, 3u, 40u, 96u}) whole_solution(m);
  for (const Case c : {Case{1, 2, false, false}, Case{2, 1, false, false}, Case{9, 3, false, false},
                       Case{64, 5, false, false}, Case{131, 4, false, false}, Case{30, 3, true, false},
                       Case{40, 3, false, true}}) {
    minimum<float>(c);
    minimum<double>(c);
  }
  sums<float>();
  sums<double>();
  return 0;
}
