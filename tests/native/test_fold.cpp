// The fixed tree in its three forms against the definition: n leaves are split at the largest power of two below n.
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"
#include "surefit/fold.hpp"

namespace {

// The tree over [lo, hi): what merge(left, right) makes of the leaves.
template <class Statistic, class Merge>
Statistic by_definition(const std::vector<Statistic>& leaves, std::size_t lo, std::size_t hi, const Merge& merge) {
  if (hi - lo == 1) return leaves[lo];
  std::size_t half = 1;
  while (half * 2 < hi - lo) half *= 2;
  Statistic left = by_definition(leaves, lo, lo + half, merge), right = by_definition(leaves, lo + half, hi, merge);
  merge(left, right);
  return left;
}

const auto join = [](std::string& left, std::string& right) { left = "(" + left + " " + right + ")"; };

// Leaves as text, in any order of arrival.
void test_order_of_arrival() {
  for (std::size_t n = 1; n <= 40; ++n) {
    std::vector<std::string> leaves(n);
    for (std::size_t i = 0; i < n; ++i) leaves[i] = std::to_string(i);
    const std::string expected = by_definition(leaves, 0, n, join);
    for (std::size_t stride : {1, 7, 11}) {  // coprime to n, or skipped: an order of arrival
      if (stride > 1 && n % stride == 0) continue;
      surefit::FoldTree<std::string, decltype(join)> tree(n, join);
      for (std::size_t i = 0; i < n; ++i) tree.add(i * stride % n, leaves[i * stride % n]);
      CHECK(tree.root() == expected);
    }
  }
}

// Rows cut into leaves, each seen once, on one thread and on three.
void test_fold_leaves() {
  for (std::size_t n_rows : {0, 1, 6, 7, 8, 100}) {
    std::vector<std::string> leaves;
    for (std::size_t lo = 0; lo < n_rows; lo += 7) {
      leaves.push_back(std::to_string(lo) + "-" + std::to_string(n_rows - lo < 7 ? n_rows : lo + 7));
    }
    const std::string expected = n_rows == 0 ? "" : by_definition(leaves, 0, leaves.size(), join);
    for (int n_threads : {1, 3}) {
      const auto leaf = [](std::size_t lo, std::size_t hi, int) { return std::to_string(lo) + "-" + std::to_string(hi); };
      CHECK(surefit::fold_leaves(n_rows, 7, n_threads, leaf, join) == expected);
    }
  }
}

// Sums of numbers that round: full and mostly empty leaves.
void test_sums() {
  const auto add = [](double& left, double& right) { left += right; };
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  surefit::SparseSum sparse;
  CHECK(sparse.finish() == 0.0 && surefit::tree_sum(nullptr, 0) == 0.0);
  for (std::size_t n = 1; n <= 300; n += n < 40 ? 1 : 29) {
    for (unsigned every : {1u, 3u, 50u}) {
      std::vector<double> leaves(n);
      for (std::size_t i = 0; i < n; ++i) {
        if (random() % every) continue;
        for (int times = 0; times < 3; ++times) {
          const double value = normal(random);
          leaves[i] += value;
          sparse.add(i, value);
        }
      }
      const double expected = by_definition(leaves, 0, n, add), got = sparse.finish();
      CHECK(std::memcmp(&got, &expected, sizeof got) == 0);
      CHECK(surefit::tree_sum(leaves.data(), n) == expected);
    }
  }
}

void test_cut_off() {
  CHECK(surefit::threads_for(1e3, 8) == 1 && surefit::threads_for(1e9, 8) == 8 && surefit::threads_for(1e9, -1) == 1);
  CHECK(surefit::leaves_of(0, 4) == 0 && surefit::leaves_of(8, 4) == 2 && surefit::leaves_of(9, 4) == 3);
  CHECK(surefit::leaves_of(9, static_cast<std::size_t>(-1)) == 1);
}

}  // namespace

int main() {
  test_order_of_arrival();
  test_fold_leaves();
  test_sums();
  test_cut_off();
  return 0;
}
