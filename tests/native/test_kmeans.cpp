// The Lloyd pass and seeding on hand-made and random rows, against plain sums, under the sanitizers.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "check.hpp"
#include "cluster/kmeans.hpp"
#include "summaries/canonical.hpp"

using namespace surefit::kmeans;
using surefit::Aligned;

namespace {

template <class T>
struct Sample {
  std::size_t n, d, k;
  std::vector<T> x;
  std::vector<double> centers, w;
  std::vector<T> shift;

  Sample(std::size_t rows, std::size_t width, std::size_t count, unsigned seed)
      : n(rows), d(width), k(count), x(rows * width), centers(count * width), w(rows), shift(width) {
    std::mt19937 rng(seed);
    std::normal_distribution<double> normal;
    for (T& v : x) v = static_cast<T>(normal(rng));
    for (double& v : centers) v = static_cast<T>(normal(rng));
    for (double& v : w) v = std::abs(normal(rng));
    for (T& v : shift) v = static_cast<T>(0.1 * normal(rng));
    w[0] = 0;
  }
  Problem<T> problem(std::size_t leaf_rows, int n_threads) const {
    return {w.data(), centers.data(), k, shift.data(), 1.0, 0, leaf_rows, n_threads};
  }
};

bool same_bits(const Statistic& a, const Statistic& b) {
  return a.inertia == b.inertia && a.fingerprint == b.fingerprint && a.sums.size() == b.sums.size() &&
         std::memcmp(a.weight.data(), b.weight.data(), a.weight.size() * sizeof(double)) == 0 &&
         std::memcmp(a.sums.data(), b.sums.data(), a.sums.size() * sizeof(double)) == 0;
}

template <class T>
void check_dense(std::size_t n, std::size_t d, std::size_t k) {
  const Sample<T> s(n, d, k, static_cast<unsigned>(n * 31 + d * 7 + k));
  Aligned<T> tail;
  const PaddedRows<T> rows = padded_rows(surefit::DenseRows<T>{s.x.data(), n, d}, tail);
  std::vector<std::int32_t> label(n);
  std::vector<double> sq_dist(n);
  Statistic got;
  lloyd_pass(rows, s.problem(64, 1), nullptr, label.data(), sq_dist.data(), &got);

  Statistic expected{std::vector<double>(k), std::vector<double>(k * d), 0, 0};
  for (std::size_t i = 0; i < n; ++i) {
    const auto distance = [&](std::size_t c) {
      double sum = 0;
      for (std::size_t j = 0; j < d; ++j) sum += std::pow(double(s.x[i * d + j]) - s.centers[c * d + j], 2);
      return sum;
    };
    CHECK(label[i] >= 0 && static_cast<std::size_t>(label[i]) < k);
    const std::size_t own = static_cast<std::size_t>(label[i]);
    const double here = distance(own), rounding = (sizeof(T) == 4 ? 1e-4 : 1e-11) * (1 + here) * double(d);
    for (std::size_t c = 0; c < k; ++c) CHECK(here <= distance(c) + rounding);
    CHECK(std::abs(sq_dist[i] - here) <= 1e-12 * (1 + here));
    expected.weight[own] += s.w[i];
    expected.inertia += s.w[i] * here;
    for (std::size_t j = 0; j < d; ++j) {
      expected.sums[own * d + j] += s.w[i] * (double(s.x[i * d + j]) - s.centers[own * d + j]);
    }
  }
  for (std::size_t c = 0; c < k; ++c) CHECK(std::abs(got.weight[c] - expected.weight[c]) <= 1e-10);
  for (std::size_t e = 0; e < k * d; ++e) CHECK(std::abs(got.sums[e] - expected.sums[e]) <= 1e-9);
  CHECK(std::abs(got.inertia - expected.inertia) <= 1e-10 * (1 + expected.inertia));

  // Threads, bounds and the update itself change no bit.
  Sample<T> moving = s;
  Scratch scratch;
  for (int pass = 0; pass < 6; ++pass) {
    Statistic plain, kept;
    lloyd_pass(rows, moving.problem(64, 3), nullptr, nullptr, nullptr, &plain);
    if (pass == 0) CHECK(same_bits(plain, got));
    lloyd_pass(rows, moving.problem(64, 2), &scratch, nullptr, nullptr, &kept);
    CHECK(same_bits(plain, kept));
    for (std::size_t c = 0; c < k; ++c) {
      for (std::size_t j = 0; j < d && plain.weight[c] > 0; ++j) {
        moving.centers[c * d + j] =
            static_cast<T>(moving.centers[c * d + j] + plain.sums[c * d + j] / plain.weight[c]);
      }
    }
  }
}

template <class T, class I>
void check_csr() {
  const std::size_t n = 300, d = 40, k = 21;
  const Sample<T> s(n, d, k, 5);
  std::vector<T> data, filled(n * d);
  std::vector<I> indices, indptr{0};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      if (s.x[i * d + j] <= T(0.8)) continue;
      data.push_back(s.x[i * d + j]);
      indices.push_back(static_cast<I>(j));
      filled[i * d + j] = s.x[i * d + j];
    }
    indptr.push_back(static_cast<I>(data.size()));
  }
  Aligned<T> tail;
  const PaddedRows<T> dense = padded_rows(surefit::DenseRows<T>{filled.data(), n, d}, tail);
  const surefit::CsrRows<T, I> csr{data.data(), indices.data(), indptr.data(), n, d};
  Problem<T> problem = s.problem(32, 2);
  problem.shift = nullptr;
  std::vector<std::int32_t> a(n), b(n);
  Statistic from_dense, from_csr, again;
  lloyd_pass(dense, problem, nullptr, a.data(), nullptr, &from_dense);
  lloyd_pass(csr, problem, nullptr, b.data(), nullptr, &from_csr);
  CHECK(a == b);
  CHECK(from_dense.fingerprint == from_csr.fingerprint);
  CHECK(std::abs(from_dense.inertia - from_csr.inertia) <= 1e-9 * from_dense.inertia);
  Scratch scratch;
  for (int pass = 0; pass < 3; ++pass) {
    lloyd_pass(csr, problem, &scratch, nullptr, nullptr, &again);
    CHECK(same_bits(again, from_csr));
  }
  std::vector<std::uint64_t> ha(n), hb(n);
  surefit::canonical::hash_rows(surefit::DenseRows<T>{filled.data(), n, d}, 2, ha.data());
  surefit::canonical::hash_rows(csr, 1, hb.data());
  CHECK(ha == hb);

  std::vector<std::int64_t> order(n), chosen(k), other(k);
  surefit::canonical::order_by_hash(ha.data(), n, order.data());
  for (std::size_t i = 1; i < n; ++i) CHECK(ha[order[i - 1]] <= ha[order[i]]);
  std::mt19937 rng(1);
  std::vector<double> uniform(1 + (k - 1) * 5);
  for (double& u : uniform) u = std::uniform_real_distribution<>()(rng);
  for (Seeding how : {Seeding::plus_plus, Seeding::farthest}) {
    const SeedProblem two{order.data(), n, nullptr, k, 5, uniform.data(), 1.0, how, 64, 2};
    const double left = seed(dense, two, chosen.data());
    seed(csr, two, other.data());
    CHECK(left >= 0);
    for (std::size_t c = 0; c < k; ++c) {
      CHECK(chosen[c] >= 0 && static_cast<std::size_t>(chosen[c]) < n);
      CHECK(other[c] >= 0 && static_cast<std::size_t>(other[c]) < n);
    }
  }
}

}  // namespace

int main() {
  for (std::size_t d : {1u, 2u, 3u, 5u, 8u, 9u, 16u, 17u, 31u, 33u, 70u}) {
    for (std::size_t n : {1u, 2u, 47u, 49u, 200u}) {
      check_dense<float>(n, d, 1);
      check_dense<double>(n, d, 1);
      check_dense<float>(n, d, 14);
      check_dense<double>(n, d, 14);
    }
  }
  check_dense<float>(5000, 24, 20);
  check_dense<double>(9000, 4, 70);
  check_csr<float, std::int32_t>();
  check_csr<float, std::int64_t>();
  check_csr<double, std::int32_t>();
  check_csr<double, std::int64_t>();
  return 0;
}
