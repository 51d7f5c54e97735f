// DBSCAN under the sanitizers: cells and leaves against the definition, several threads, odd shapes.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "check.hpp"
#include "cluster/dbscan.hpp"
#include "cluster/union_find.hpp"
#include "surefit/parallel.hpp"

namespace {

using surefit::DenseRows;
using surefit::dbscan::Norm;
using surefit::dbscan::Problem;

bool near(const double* a, const double* b, std::size_t d, Norm norm, double eps) {
  double sum = 0;
  for (std::size_t j = 0; j < d; ++j) {
    const double t = std::fabs(a[j] - b[j]);
    sum = norm == Norm::euclidean ? sum + t * t : norm == Norm::manhattan ? sum + t : std::max(sum, t);
  }
  return sum <= (norm == Norm::euclidean ? eps * eps : eps);
}

// Breadth first, row by row.
std::vector<std::int64_t> by_definition(const std::vector<double>& x, std::size_t n, std::size_t d, const Problem& p) {
  std::vector<std::uint8_t> core(n);
  for (std::size_t i = 0; i < n; ++i) {
    double weight = 0;
    for (std::size_t k = 0; k < n; ++k) {
      if (near(&x[i * d], &x[k * d], d, p.norm, p.eps)) weight += p.w ? p.w[k] : 1.0;
    }
    core[i] = weight >= p.min_samples;
  }
  std::vector<std::int64_t> label(n, -1);
  std::int64_t next = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (!core[i] || label[i] >= 0) continue;
    std::vector<std::size_t> open{i};
    label[i] = next;
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (std::size_t k = 0; core[at] && k < n; ++k) {
        if (label[k] < 0 && near(&x[at * d], &x[k * d], d, p.norm, p.eps)) {
          label[k] = next;
          open.push_back(k);
        }
      }
    }
    ++next;
  }
  return label;
}

void compare(const std::vector<double>& x, std::size_t n, std::size_t d, Problem p) {
  const auto wanted = by_definition(x, n, d, p);
  for (const bool grid : {true, false}) {
    for (const int n_threads : {1, 3}) {
      std::vector<std::int64_t> labels(n);
      std::vector<std::uint8_t> core(n);
      p.grid = grid;
      p.n_threads = n_threads;
      surefit::dbscan::cluster(DenseRows<double>{x.data(), n, d}, p, labels.data(), core.data());
      CHECK(labels == wanted);
      if (p.norm != Norm::euclidean) continue;
      Problem squared = p;
      squared.eps = p.eps * p.eps;
      squared.squared = true;
      surefit::dbscan::cluster(DenseRows<double>{x.data(), n, d}, squared, labels.data(), core.data());
      CHECK(labels == wanted);
    }
  }
}

void sets_joined_by_many_threads() {
  constexpr std::size_t n = 20000;
  surefit::UnionFind sets(n);
  surefit::parallel_for(64, 4, [&](std::size_t task, int) {
    for (auto i = static_cast<std::uint32_t>(task); i + 7 < n; i += 64) sets.join(i, i + 7);
  });
  for (std::size_t i = 0; i < n; ++i) CHECK(sets.find(static_cast<std::uint32_t>(i)) == i % 7);
}

}  // namespace

int main() {
  std::mt19937 random(0);
  std::normal_distribution<double> normal;
  for (const Norm norm : {Norm::manhattan, Norm::euclidean, Norm::chebyshev}) {
    for (const std::size_t d : {1u, 2u, 3u, 4u, 7u}) {
      for (const std::size_t n : {1u, 2u, 70u, 400u}) {
        std::vector<double> x(n * d), w(n);
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j < d; ++j) x[i * d + j] = std::round(4 * normal(random)) / 4 + (i % 3 ? 0.0 : 6.0);
          w[i] = static_cast<double>(random() % 4) - (d % 2 ? 1.0 : 0.0);
        }
        for (const double eps : {0.25, 1.0, 100.0}) {
          compare(x, n, d, {norm, eps, false, 4, nullptr, 1, true});
          compare(x, n, d, {norm, eps, false, 5, w.data(), 1, true});
        }
      }
    }
  }
  sets_joined_by_many_threads();
  return 0;
}
