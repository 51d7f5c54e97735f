// The batch perceptron on rows of whole numbers, where nothing rounds, against a plain loop, under the sanitizers.
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"
#include "linear_model/batch_perceptron.hpp"

namespace {

using namespace surefit::batch_perceptron;

struct Problem {
  std::size_t n = 0, d;
  std::vector<double> x, sign, norm;

  Problem(std::size_t wanted, std::size_t width, bool intercept, unsigned seed) : d(width) {
    std::mt19937 random(seed);
    std::vector<double> row(d);
    for (std::size_t i = 0; i < wanted; ++i) {
      double score = intercept ? 0.5 : 0.0, square = intercept ? 1 : 0;
      for (std::size_t j = 0; j < d; ++j) {
        row[j] = static_cast<double>(static_cast<int>(random() % 9) - 4);
        score += row[j] * static_cast<double>(j + 1);
        square += row[j] * row[j];
      }
      if (score == 0) continue;
      x.insert(x.end(), row.begin(), row.end());
      sign.push_back(score > 0 ? 1 : -1);
      norm.push_back(__builtin_sqrt(square));
      ++n;
    }
  }
};

struct Plain {
  std::vector<std::int64_t> theta;
  std::uint64_t updates = 0;
};

// Every row is looked at, in whole numbers.
Plain plain(const Problem& p, bool intercept) {
  Plain out;
  out.theta.assign(p.d + 1, 0);
  for (std::size_t i = 0, quiet = 0; quiet < p.n; i = (i + 1) % p.n) {
    std::int64_t product = intercept ? out.theta[p.d] : 0;
    for (std::size_t j = 0; j < p.d; ++j) product += static_cast<std::int64_t>(p.x[i * p.d + j]) * out.theta[j];
    const auto sign = static_cast<std::int64_t>(p.sign[i]);
    ++quiet;
    if (sign * product > 0) continue;
    for (std::size_t j = 0; j < p.d; ++j) out.theta[j] += sign * static_cast<std::int64_t>(p.x[i * p.d + j]);
    if (intercept) out.theta[p.d] += sign;
    ++out.updates;
    quiet = 0;
  }
  return out;
}

template <class Rows>
void check_rows(const Rows& rows, const Problem& p, bool intercept, const Plain& wanted, std::uint64_t work) {
  std::vector<double> theta(p.d + 1), look_at(p.n);
  State state{};
  state.theta = theta.data();
  state.look_at = look_at.data();
  std::vector<std::int64_t> passes;
  const About about{p.sign.data(), p.norm.data(), 0.125, 1e-15, intercept};
  std::vector<double> norm(p.norm);
  for (auto& v : norm) v *= about.scale;
  const About scaled{p.sign.data(), norm.data(), about.scale, about.rounding, intercept};
  End end;
  while ((end = visit(rows, scaled, 1000000, work, state, passes)) == End::most_work) {
  }
  CHECK(end == End::separated);
  CHECK(state.updates == wanted.updates);
  for (std::size_t j = 0; j < p.d + intercept; ++j) {
    CHECK(theta[j] == static_cast<double>(wanted.theta[j]) * about.scale);
  }
  std::int64_t in_passes = static_cast<std::int64_t>(state.updates_in_pass);
  for (const auto k : passes) in_passes += k;
  CHECK(in_passes == static_cast<std::int64_t>(wanted.updates));
}

void check(std::size_t n, std::size_t d, bool intercept, std::uint64_t work) {
  const Problem p(n, d, intercept, static_cast<unsigned>(n + 17 * d));
  const Plain wanted = plain(p, intercept);
  check_rows(surefit::DenseRows<double>{p.x.data(), p.n, d}, p, intercept, wanted, work);
  const std::vector<float> single(p.x.begin(), p.x.end());
  check_rows(surefit::DenseRows<float>{single.data(), p.n, d}, p, intercept, wanted, work);
  std::vector<double> data;
  std::vector<std::int32_t> indices, indptr{0};
  for (std::size_t i = 0; i < p.n; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      if (p.x[i * d + j] != 0) {
        data.push_back(p.x[i * d + j]);
        indices.push_back(static_cast<std::int32_t>(j));
      }
    }
    indptr.push_back(static_cast<std::int32_t>(data.size()));
  }
  check_rows(surefit::CsrRows<double, std::int32_t>{data.data(), indices.data(), indptr.data(), p.n, d}, p, intercept,
             wanted, work);
}

void check_limit() {
  // (1) and −(1): no θ separates, and the limit is met exactly.
  const double x[] = {1, 1}, sign[] = {1, -1}, norm[] = {1, 1};
  double theta[2] = {0, 0}, look_at[2] = {0, 0};
  State state{};
  state.theta = theta;
  state.look_at = look_at;
  std::vector<std::int64_t> passes;
  const About about{sign, norm, 1.0, 1e-15, false};
  const surefit::DenseRows<double> rows{x, 2, 1};
  CHECK(visit(rows, about, 7, 1000000, state, passes) == End::most_updates);
  CHECK(state.updates == 7);
  CHECK(visit(rows, about, 9, 1000000, state, passes) == End::most_updates);
  CHECK(state.updates == 9);
}

}  // namespace

int main() {
  for (const std::size_t d : {1, 2, 3, 4, 5, 8, 11}) {
    for (const bool intercept : {true, false}) {
      check(50, d, intercept, 1u << 30);
      check(50, d, intercept, 37);  // taken up again and again
    }
  }
  check_limit();
  return 0;
}
