// Linkages under the sanitizers: against the definition (the closest pair merges, all distances looked at each time), with
// copies and ties, one row to many, on one thread and two.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "cluster/linkage.hpp"

using namespace surefit::linkage;

namespace {

enum class Kind { single, complete, average, ward };

double pair_distance(const std::vector<double>& x, std::size_t d, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t k = 0; k < d; ++k) sum += (x[i * d + k] - x[j * d + k]) * (x[i * d + k] - x[j * d + k]);
  return std::sqrt(sum);
}

// Distance of two clusters from their rows.
double between(Kind kind, const std::vector<double>& x, std::size_t d, const std::vector<std::size_t>& a,
               const std::vector<std::size_t>& b) {
  if (kind == Kind::ward) {
    double sum = 0;
    for (std::size_t k = 0; k < d; ++k) {
      double ca = 0, cb = 0;
      for (const std::size_t i : a) ca += x[i * d + k];
      for (const std::size_t i : b) cb += x[i * d + k];
      const double gap = ca / static_cast<double>(a.size()) - cb / static_cast<double>(b.size());
      sum += gap * gap;
    }
    return std::sqrt(2.0 * static_cast<double>(a.size() * b.size()) / static_cast<double>(a.size() + b.size()) * sum);
  }
  double least = std::numeric_limits<double>::infinity(), most = 0, total = 0;
  for (const std::size_t i : a) {
    for (const std::size_t j : b) {
      const double v = pair_distance(x, d, i, j);
      least = std::min(least, v), most = std::max(most, v), total += v;
    }
  }
  return kind == Kind::single ? least : kind == Kind::complete ? most : total / static_cast<double>(a.size() * b.size());
}

// Every merge of a linkage matrix joins a closest pair, at its distance.
void check_tree(Kind kind, const std::vector<double>& x, std::size_t d, const std::vector<double>& tree) {
  const std::size_t n = x.size() / d;
  std::vector<std::vector<std::size_t>> cluster(n);
  std::vector<std::size_t> alive;
  for (std::size_t i = 0; i < n; ++i) cluster[i] = {i}, alive.push_back(i);
  for (std::size_t t = 0; t + 1 < n; ++t) {
    double closest = std::numeric_limits<double>::infinity();
    for (const std::size_t i : alive) {
      for (const std::size_t j : alive) {
        if (i < j) closest = std::min(closest, between(kind, x, d, cluster[i], cluster[j]));
      }
    }
    const auto a = static_cast<std::size_t>(tree[4 * t]), b = static_cast<std::size_t>(tree[4 * t + 1]);
    const double height = tree[4 * t + 2];
    CHECK(a < b && std::count(alive.begin(), alive.end(), a) == 1 && std::count(alive.begin(), alive.end(), b) == 1);
    CHECK(std::fabs(height - closest) <= 1e-9 * (1 + closest));
    CHECK(std::fabs(between(kind, x, d, cluster[a], cluster[b]) - height) <= 1e-9 * (1 + height));
    CHECK(t == 0 || height >= tree[4 * t - 2]);
    cluster.push_back(cluster[a]);
    cluster.back().insert(cluster.back().end(), cluster[b].begin(), cluster[b].end());
    CHECK(static_cast<double>(cluster.back().size()) == tree[4 * t + 3]);
    std::erase(alive, a);
    std::erase(alive, b);
    alive.push_back(n + t);
  }
}

std::vector<double> tree_of(Kind kind, const std::vector<double>& x, std::size_t d, int n_threads) {
  const std::size_t n = x.size() / d;
  std::vector<Merge> merges;
  if (kind == Kind::single) {
    merges = minimum_spanning_tree(x.data(), n, d, Sum::squared, n_threads);
  } else if (kind == Kind::ward) {
    merges = ward(x.data(), n, d, n_threads);
  } else {
    std::vector<double> half(n * (n - 1) / 2);
    fill_matrix(x.data(), n, d, Distance::euclidean, half.data(), n_threads);
    merges = merge_matrix(half.data(), n, kind == Kind::complete ? Rule::complete : Rule::average, n_threads);
  }
  CHECK(merges.size() == n - 1);
  if (kind == Kind::single || kind == Kind::ward) {
    for (Merge& merge : merges) merge.height = std::sqrt(merge.height);
  }
  std::vector<double> tree(4 * (n - 1));
  linkage_matrix(merges, n, tree.data());
  return tree;
}

// Squared lengths of the edges of the minimum spanning tree, rising: Prim's algorithm.
std::vector<double> prim(const std::vector<double>& x, std::size_t d) {
  const std::size_t n = x.size() / d;
  std::vector<double> near(n, std::numeric_limits<double>::infinity()), edges;
  std::vector<std::size_t> outside(n - 1);
  for (std::size_t i = 1; i < n; ++i) outside[i - 1] = i;
  for (std::size_t newest = 0; !outside.empty();) {
    std::size_t closest = 0;
    for (std::size_t o = 0; o < outside.size(); ++o) {
      const double* a = &x[outside[o] * d];
      const double* b = &x[newest * d];
      double sum = 0;
      for (std::size_t k = 0; k < d; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
      near[outside[o]] = std::min(near[outside[o]], sum);
      if (near[outside[o]] < near[outside[closest]]) closest = o;
    }
    newest = outside[closest];
    edges.push_back(near[newest]);
    outside[closest] = outside.back();
    outside.pop_back();
  }
  std::sort(edges.begin(), edges.end());
  return edges;
}

// Trees of several subtrees: anywhere, on a grid with thousands of equal rows, all at one place.
void check_many_rows() {
  std::mt19937 random_numbers(1);
  std::normal_distribution<double> normal;
  constexpr std::size_t n = 9500, d = 2;
  for (const int how : {0, 1, 2}) {
    std::vector<double> x(n * d);
    for (double& v : x) v = how == 0 ? normal(random_numbers) : how == 1 ? std::round(normal(random_numbers)) : 1.0;
    const std::vector<Merge> edges = minimum_spanning_tree(x.data(), n, d, Sum::squared, 1);
    const std::vector<Merge> by_two = minimum_spanning_tree(x.data(), n, d, Sum::squared, 2);
    const std::vector<double> lengths = prim(x, d);
    CHECK(edges.size() == n - 1 && by_two.size() == n - 1);
    for (std::size_t i = 0; i + 1 < n; ++i) {
      CHECK(edges[i].a == by_two[i].a && edges[i].b == by_two[i].b && edges[i].height == by_two[i].height);
      CHECK(std::fabs(edges[i].height - lengths[i]) <= 1e-14 * lengths[i]);
    }
    if (how > 0) CHECK(tree_of(Kind::ward, x, d, 1) == tree_of(Kind::ward, x, d, 2));
  }
}

}  // namespace

int main() {
  check_many_rows();
  std::mt19937 random_numbers(0);
  std::normal_distribution<double> normal;
  for (const std::size_t n : {2, 3, 7, 17, 40, 60}) {
    for (const std::size_t d : {1, 2, 5, 40}) {
      for (const int how : {0, 1, 2}) {  // anywhere, copies, a coarse grid
        std::vector<double> x(n * d);
        for (double& v : x) v = how == 2 ? std::round(normal(random_numbers)) : normal(random_numbers);
        if (how == 1) {
          for (std::size_t i = n / 2; i < n; ++i) std::copy_n(x.data() + (i - n / 2) * d, d, x.data() + i * d);
        }
        for (const Kind kind : {Kind::single, Kind::complete, Kind::average, Kind::ward}) {
          const std::vector<double> tree = tree_of(kind, x, d, 1);
          check_tree(kind, x, d, tree);
          CHECK(tree_of(kind, x, d, 2) == tree);
        }
      }
    }
  }
  // Many rows: rounds on trees, the chain, equal rows by the hundred; each gap twice the one before makes few pairs.
  std::vector<double> many(3000 * 2), path(400);
  for (double& v : many) v = std::round(8 * normal(random_numbers));
  for (std::size_t i = 0; i < path.size(); ++i) path[i] = std::pow(1.05, static_cast<double>(i));
  for (const Kind kind : {Kind::single, Kind::complete, Kind::average, Kind::ward}) {
    CHECK(tree_of(kind, many, 2, 1) == tree_of(kind, many, 2, 2));
    const std::vector<double> tree = tree_of(kind, path, 1, 1);
    for (std::size_t t = 1; t + 1 < path.size(); ++t) CHECK(tree[4 * t + 2] >= tree[4 * t - 2]);
  }
  return 0;
}
