// Which vertices no lighter cut parts, against every cut of small graphs, under the sanitizers.
#include "cluster/min_cut.hpp"

#include <random>
#include <vector>

#include "check.hpp"

namespace {

struct Dense {
  std::size_t n;
  std::vector<double> w;
};

Dense random_graph(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  Dense g{n, std::vector<double>(n * n, 0.0)};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      if (random() % 2) g.w[i * n + j] = g.w[j * n + i] = static_cast<double>(random() % 5 + 1);
    }
  }
  return g;
}

// The lightest cut that parts a and b.
double lightest(const Dense& g, std::size_t a, std::size_t b) {
  double best = 1e300;
  for (unsigned code = 0; code < 1u << g.n; ++code) {
    if (!(code >> a & 1) || (code >> b & 1)) continue;
    double value = 0;
    for (std::size_t i = 0; i < g.n; ++i) {
      for (std::size_t j = 0; j < g.n; ++j) value += (code >> i & 1) && !(code >> j & 1) ? g.w[i * g.n + j] : 0;
    }
    best = value < best ? value : best;
  }
  return best;
}

void check_graph(const Dense& g, double bound) {
  std::vector<std::int64_t> indptr{0}, indices;
  std::vector<double> weights;
  for (std::size_t i = 0; i < g.n; ++i) {
    for (std::size_t j = 0; j < g.n; ++j) {
      if (g.w[i * g.n + j] == 0) continue;
      indices.push_back(static_cast<std::int64_t>(j));
      weights.push_back(g.w[i * g.n + j]);
    }
    indptr.push_back(static_cast<std::int64_t>(indices.size()));
  }
  const auto group = surefit::min_cut::inseparable_groups({indptr, indices, weights}, bound);
  CHECK(group.size() == g.n);
  std::int64_t most = 0;
  std::size_t parted = 0;
  for (std::size_t a = 0; a < g.n; ++a) {
    most = group[a] > most ? group[a] : most;
    for (std::size_t b = a + 1; b < g.n; ++b) parted += group[a] == group[b] && lightest(g, a, b) < bound;
  }
  CHECK(g.n < 2 || most + 1 < static_cast<std::int64_t>(g.n));
  CHECK(parted == 0);
}

// With the bound the smallest degree, every merged pair is parted by no lighter cut: of the last pair too.
double smallest_degree(const Dense& g) {
  double best = 1e300;
  for (std::size_t i = 0; i < g.n; ++i) {
    double degree = 0;
    for (std::size_t j = 0; j < g.n; ++j) degree += g.w[i * g.n + j];
    best = degree < best ? degree : best;
  }
  return best;
}

}  // namespace

int main() {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Dense g = random_graph(1 + seed % 8, seed);
    check_graph(g, smallest_degree(g));
  }
  return 0;
}
