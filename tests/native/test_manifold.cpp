// Loops of manifolds against definitions written out, for one and several threads.
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "manifold/local_weights.hpp"
#include "manifold/shortest_paths.hpp"
#include "manifold/smacof.hpp"

namespace {

std::mt19937_64 engine(1);
double uniform() { return std::uniform_real_distribution<double>(0, 1)(engine); }

void stress_is_the_definition(std::size_t n, std::size_t p, bool weighted) {
  std::vector<double> x(n * p), delta(n * (n - 1) / 2), w(delta.size());
  for (double& v : x) v = uniform() - 0.5;
  for (double& v : delta) v = uniform();
  for (double& v : w) v = weighted ? uniform() : 1.0;
  if (n > 3) {
    for (std::size_t c = 0; c < p; ++c) x[3 * p + c] = x[c];  // a distance of zero
  }
  double stress = 0, sq_dist = 0;
  std::vector<double> g(n * p, 0.0), lengths(delta.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j, ++at) {
      double sq = 0;
      for (std::size_t c = 0; c < p; ++c) sq += (x[i * p + c] - x[j * p + c]) * (x[i * p + c] - x[j * p + c]);
      const double d = std::sqrt(sq);
      lengths[at] = d;
      stress += w[at] * (delta[at] - d) * (delta[at] - d);
      sq_dist += w[at] * sq;
      for (std::size_t c = 0; c < p && d > 0; ++c) {
        const double part = w[at] * delta[at] / d * (x[i * p + c] - x[j * p + c]);
        g[i * p + c] += part;
        g[j * p + c] -= part;
      }
    }
  }
  std::vector<double> first;
  for (const int threads : {1, 2, 5}) {
    std::vector<double> got(n * p, -1.0), d(delta.size());
    const auto sums = surefit::smacof::look(x.data(), n, p, delta.data(), weighted ? w.data() : nullptr, d.data(),
                                            threads, got.data());
    CHECK(std::abs(sums.stress - stress) <= 1e-12 * (stress + 1e-300));
    CHECK(std::abs(sums.sq_dist - sq_dist) <= 1e-12 * (sq_dist + 1e-300));
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(std::abs(got[i] - g[i]) <= 1e-11 * static_cast<double>(n));
    for (std::size_t i = 0; i < d.size(); ++i) CHECK(std::abs(d[i] - lengths[i]) <= 1e-15 + 1e-14 * lengths[i]);
    if (first.empty()) first = got;
    CHECK(first == got);
  }
}

void paths_are_shortest(std::size_t n, double scale) {
  constexpr double far = std::numeric_limits<double>::infinity();
  std::vector<double> d(n * n, far);
  for (std::size_t i = 0; i < n; ++i) d[i * n + i] = 0;
  std::vector<std::int64_t> indptr{0}, sources;
  std::vector<std::int32_t> indices;
  std::vector<double> length;
  std::vector<double> edge(n * n, -1.0);
  for (std::size_t e = 0; e < 2 * n; ++e) {
    const std::size_t i = engine() % n, j = engine() % n;
    if (i == j || i % 11 == 5 || j % 11 == 5) continue;  // some nodes stay alone
    edge[i * n + j] = edge[j * n + i] = e % 7 == 0 ? 0.0 : scale * uniform() * (e % 13 == 0 ? 1e6 : 1.0);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (edge[i * n + j] < 0) continue;
      indices.push_back(static_cast<std::int32_t>(j));
      length.push_back(edge[i * n + j]);
      d[i * n + j] = edge[i * n + j];
    }
    indptr.push_back(static_cast<std::int64_t>(indices.size()));
    sources.push_back(static_cast<std::int64_t>(i));
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) d[i * n + j] = std::min(d[i * n + j], d[i * n + k] + d[k * n + j]);
    }
  }
  const surefit::shortest_paths::Graph graph{indptr.data(), indices.data(), length.data(), n};
  for (const int threads : {1, 3}) {
    std::vector<double> got(n * n);
    std::vector<float> single(n * n);
    surefit::shortest_paths::from_sources(graph, sources.data(), n, threads, got.data());
    surefit::shortest_paths::from_sources(graph, sources.data(), n, threads, single.data());
    for (std::size_t i = 0; i < n * n; ++i) {
      CHECK(got[i] == d[i] || std::abs(got[i] - d[i]) <= 1e-12 * d[i]);
      CHECK(single[i] == static_cast<float>(got[i]));
    }
  }
}

void weights_rebuild(std::size_t d) {
  // The middle of two points is rebuilt with a half of each; equal neighbors share; no neighbors, no weights.
  std::vector<double> rows(4 * d, 0.0), query(3 * d, 0.0);
  rows[0] = -1;
  rows[d] = 1;
  rows[2 * d] = rows[3 * d] = 2;
  query[d] = 2;
  const std::vector<std::int64_t> indptr{0, 2, 4, 4}, indices{0, 1, 2, 3};
  std::vector<double> w(4, -1.0);
  surefit::local_weights::Problem problem{query.data(), rows.data(), 3, d, indptr.data(), indices.data(), 1e-3};
  CHECK(surefit::local_weights::solve(problem, 2, w.data()) == 3);
  for (const double v : w) CHECK(std::abs(v - 0.5) < 1e-12);
  problem.reg = 0;
  CHECK(surefit::local_weights::solve(problem, 2, w.data()) < 3);
}

}  // namespace

int main() {
  for (const std::size_t n : {1, 2, 3, 8, 9, 33, 150}) {
    for (const std::size_t p : {1, 2, 3, 4, 17}) {
      stress_is_the_definition(n, p, false);
      stress_is_the_definition(n, p, true);
    }
  }
  for (const double scale : {1.0, 0.0, 1e-310, 1e200}) paths_are_shortest(60, scale);
  for (const std::size_t d : {1, 2, 30}) weights_rebuild(d);
  return 0;
}
