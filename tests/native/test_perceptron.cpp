// The perceptron's loop against a plain loop, dense against sparse rows, under the sanitizers.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "check.hpp"
#include "linear_model/perceptron.hpp"

namespace {

using surefit::perceptron::Rule;

struct Problem {
  std::size_t n, d, k;
  std::vector<double> x, y, w, data;
  std::vector<std::int64_t> order, indices, indptr{0}, planes;
  std::vector<double> codes, positive, negative;

  Problem(std::size_t n, std::size_t d, std::size_t k, unsigned seed) : n(n), d(d), k(k), x(n * d), y(n), w(n) {
    std::mt19937 random(seed);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        x[i * d + j] = static_cast<double>(random() % 7) - 3;
        if (x[i * d + j] == 0) continue;
        data.push_back(x[i * d + j]);
        indices.push_back(static_cast<std::int64_t>(j));
      }
      indptr.push_back(static_cast<std::int64_t>(data.size()));
      y[i] = static_cast<double>(random() % (k + 1));
      w[i] = 0.5 + static_cast<double>(random() % 4);
      order.push_back(static_cast<std::int64_t>((i * 7 + 3) % n));
    }
    for (std::size_t c = 0; c < k; ++c) {
      planes.push_back(static_cast<std::int64_t>(c));
      codes.push_back(static_cast<double>(c));
      positive.push_back(1.0 + 0.5 * static_cast<double>(c));
      negative.push_back(1.0);
    }
  }
};

struct State {
  std::vector<double> coef, intercept, paid, due, objective;
  State(const Problem& p, bool l1)
      : coef(p.k * p.d), intercept(p.k), paid(l1 ? p.k * p.d : 0), due(l1 ? p.k : 0), objective(p.k) {}
};

template <class Rows>
void run(const Rows& rows, const Problem& p, const Rule& rule, int n_threads, State& state) {
  const bool l1 = rule.l1 > 0;
  surefit::perceptron::window(rows, {p.y.data(), p.w.data(), p.order.data(), p.n}, rule,
                              {state.coef.data(), state.intercept.data(), l1 ? state.paid.data() : nullptr,
                               l1 ? state.due.data() : nullptr, p.planes.data(), p.codes.data(), p.positive.data(),
                               p.negative.data(), state.objective.data(), p.k},
                              n_threads);
}

// One plane, without a penalty, in long double. Rows are small whole numbers and weights are halves: nothing rounds.
void plain(const Problem& p, std::size_t k, double eta, std::vector<long double>& w, long double& b) {
  for (std::size_t t = 0; t < p.n; ++t) {
    const auto i = static_cast<std::size_t>(p.order[t]);
    const bool own = p.y[i] == p.codes[k];
    const long double sign = own ? 1 : -1, unit = eta * (own ? p.positive[k] : p.negative[k]);
    long double score = b, q = 1;
    for (std::size_t j = 0; j < p.d; ++j) {
      score += w[j] * static_cast<long double>(p.x[i * p.d + j]);
      q += static_cast<long double>(p.x[i * p.d + j]) * static_cast<long double>(p.x[i * p.d + j]);
    }
    if (sign * score > 0) continue;
    const long double fewest = std::floor(-sign * score / (unit * q)) + 1;
    const long double c = std::fmin(fewest, static_cast<long double>(p.w[t])) * unit * sign;
    for (std::size_t j = 0; j < p.d; ++j) w[j] += c * static_cast<long double>(p.x[i * p.d + j]);
    b += c;
  }
}

void check(std::size_t n, std::size_t d, std::size_t k) {
  const Problem p(n, d, k, static_cast<unsigned>(n * 31 + d * 7 + k));
  const surefit::DenseRows<double> dense{p.x.data(), n, d};
  const surefit::CsrRows<double, std::int64_t> sparse{p.data.data(), p.indices.data(), p.indptr.data(), n, d};
  for (const Rule rule : {Rule{0.5, 0, 0, true}, Rule{0.7, 0.01, 0, true}, Rule{0.7, 0, 0.01, false},
                          Rule{1, 0.8, 0.01, true}}) {
    State one(p, rule.l1 > 0), other(p, rule.l1 > 0);
    for (int epoch = 0; epoch < 2; ++epoch) {
      run(dense, p, rule, 2, one);
      run(sparse, p, rule, 1, other);
    }
    for (std::size_t j = 0; j < k * d; ++j) CHECK(one.coef[j] == other.coef[j]);
    for (std::size_t c = 0; c < k; ++c) {
      CHECK(one.intercept[c] == other.intercept[c]);
      CHECK(one.objective[c] == other.objective[c]);
      CHECK(one.objective[c] >= 0);
    }
    if (rule.l1 > 0 || rule.l2 > 0) continue;
    for (std::size_t c = 0; c < k; ++c) {
      std::vector<long double> w(d);
      long double b = 0;
      for (int epoch = 0; epoch < 2; ++epoch) plain(p, c, rule.eta, w, b);
      for (std::size_t j = 0; j < d; ++j) {
        CHECK(one.coef[c * d + j] == static_cast<double>(w[j]));
      }
    }
  }
}

}  // namespace

int main() {
  for (const std::size_t n : {1, 2, 40, 700}) {
    for (const std::size_t d : {1, 3, 16, 17, 50}) {
      for (const std::size_t k : {1, 3}) check(n, d, k);
    }
  }
  check(20000, 40, 3);  // enough work for threads
}
