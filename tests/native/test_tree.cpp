// Rows through trees, packed and not, dense and CSR, and pruning of small trees, under the sanitizers.
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "tree/packed.hpp"
#include "tree/predict.hpp"
#include "tree/pruning.hpp"

namespace {

using surefit::trees::Arrays;

struct Sample {
  std::vector<std::int32_t> left{-1}, right{-1}, feature{-2}, category_row{-1};
  std::vector<double> threshold{-2}, value;
  std::vector<std::uint8_t> missing_left{0};
  std::vector<std::uint64_t> sets;
  std::size_t d;

  Sample(std::size_t d_, std::size_t n_splits, std::mt19937_64& random, bool with_sets = true) : d(d_) {
    for (std::size_t s = 0; s < n_splits; ++s) {
      std::size_t leaf = random() % left.size();
      while (left[leaf] >= 0) leaf = random() % left.size();
      left[leaf] = static_cast<std::int32_t>(left.size());
      right[leaf] = left[leaf] + 1;
      feature[leaf] = static_cast<std::int32_t>(random() % d);
      threshold[leaf] = static_cast<double>(random() % 300);
      missing_left[leaf] = random() % 2;
      if (with_sets && random() % 3 == 0) {
        category_row[leaf] = static_cast<std::int32_t>(sets.size() / 4);
        for (int word = 0; word < 4; ++word) sets.push_back(random());
      }
      for (int child = 0; child < 2; ++child) {
        left.push_back(-1), right.push_back(-1), feature.push_back(-2), category_row.push_back(-1);
        threshold.push_back(-2), missing_left.push_back(0);
      }
    }
    for (std::size_t t = 0; t < left.size(); ++t) value.push_back(static_cast<double>(t));
  }

  Arrays arrays() const {
    return {left.size(),    d,           sets.size() / 4,  1,                   left.data(), right.data(), feature.data(),
            category_row.data(), threshold.data(), missing_left.data(), sets.data(), value.data()};
  }
};

void check_rows(std::size_t n, int n_threads, std::mt19937_64& random) {
  constexpr std::size_t d = 5;
  std::vector<Sample> trees;
  for (const std::size_t splits : {0, 1, 30, 300}) trees.emplace_back(d, splits, random);
  std::vector<Arrays> arrays;
  for (const Sample& tree : trees) arrays.push_back(tree.arrays());
  std::vector<float> x(n * d), data;
  std::vector<std::int32_t> indices, indptr{0};
  for (std::size_t i = 0; i < n * d; ++i) {
    x[i] = random() % 5 == 0 ? std::nanf("") : static_cast<float>(random() % 303) - 3.0f;
    if (random() % 4 == 0) x[i] = 0;
    if (x[i] != 0) data.push_back(x[i]), indices.push_back(static_cast<std::int32_t>(i % d));
    if (i % d == d - 1) indptr.push_back(static_cast<std::int32_t>(data.size()));
  }
  std::vector<std::int64_t> leaves(n * trees.size()), by_csr(n * trees.size());
  std::vector<double> total(n);
  const surefit::DenseRows<float> rows{x.data(), n, d};
  const surefit::CsrRows<float, std::int32_t> csr{data.data(), indices.data(), indptr.data(), n, d};
  surefit::trees::apply<surefit::DenseF32>(arrays, rows, n_threads, leaves.data());
  surefit::trees::apply<surefit::CsrF32I32>(arrays, csr, n_threads, by_csr.data());
  surefit::trees::add_up<surefit::DenseF32>(arrays, rows, n_threads, total.data());
  CHECK(leaves == by_csr);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t t = 0; t < trees.size(); ++t) {
      const std::int64_t leaf = leaves[i * trees.size() + t];
      CHECK(leaf == surefit::trees::walk(arrays[t], x.data() + i * d));
      sum += static_cast<double>(leaf);
    }
    CHECK(total[i] == sum);
  }
}

// Enough trees, none with sets: rows are walked by their ranks among the thresholds. Numbers on both sides of each
// threshold and on it, infinite ones, zeros of both signs; with and without missing values.
template <class T>
void check_ranks(std::size_t n, bool missing, int n_threads, std::mt19937_64& random) {
  constexpr std::size_t d = 3;
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<Sample> trees;
  for (std::size_t t = 0; t < 20; ++t) trees.emplace_back(d, 10 * t, random, false);
  std::vector<Arrays> arrays;
  for (Sample& tree : trees) {
    for (std::size_t node = 0; node < tree.left.size(); ++node) {
      const std::uint64_t kind = random() % 8;
      if (kind == 0) tree.threshold[node] = infinity;
      if (kind == 1) tree.threshold[node] = -infinity;
      if (kind == 2) tree.threshold[node] = -0.0;
      if (kind == 3) tree.threshold[node] += 1e-12;  // between two numbers of single precision
    }
    arrays.push_back(tree.arrays());
  }
  CHECK(surefit::trees::Ranks<T>().read(arrays));
  std::vector<T> x(n * d);
  for (T& v : x) {
    v = static_cast<T>(random() % 302) - T(1);
    if (random() % 3 == 0) v = std::nextafter(v, random() % 2 ? T(400) : T(-400));
    if (random() % 50 == 0) v = random() % 2 ? static_cast<T>(infinity) : -static_cast<T>(infinity);
    if (missing && random() % 5 == 0) v = std::numeric_limits<T>::quiet_NaN();
  }
  std::vector<std::int64_t> leaves(n * trees.size());
  surefit::trees::apply<surefit::DenseRows<T>>(arrays, {x.data(), n, d}, n_threads, leaves.data());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t t = 0; t < trees.size(); ++t) {
      CHECK(leaves[i * trees.size() + t] == surefit::trees::walk(arrays[t], x.data() + i * d));
    }
  }
}

void check_broken() {
  std::mt19937_64 random(7);
  Sample tree(2, 3, random);
  tree.right[0] = 99;
  const std::vector<Arrays> arrays{tree.arrays()};
  const std::vector<float> x(200, 0.0f);
  std::vector<std::int64_t> leaves(100);
  for (const std::size_t n : {1, 100}) {
    bool refused = false;
    try {
      surefit::trees::apply<surefit::DenseF32>(arrays, {x.data(), n, 2}, 1, leaves.data());
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused);
  }
}

// Three leaves: the root splits 10 into 4 + 2, and 4 into 1 + 0. The lower split saves 3; then the root saves 4.
void check_pruning() {
  const std::int32_t left[] = {1, 2, -1, -1, -1}, right[] = {4, 3, -1, -1, -1};
  const double cost[] = {10, 4, 1, 0, 2};
  double alpha[5], rise[5];
  std::int64_t fall[5];
  surefit::trees::pruning_steps(left, right, cost, 5, alpha, rise, fall);
  CHECK(alpha[1] == 3 && rise[1] == 3 && fall[1] == 1);
  CHECK(alpha[0] == 4 && rise[0] == 4 && fall[0] == 1);
  CHECK(std::isinf(alpha[2]) && std::isinf(alpha[4]));
}

}  // namespace

int main() {
  std::mt19937_64 random(1);
  for (const std::size_t n : {0, 1, 7, 8, 9, 100, 3000}) {
    for (const int n_threads : {1, 3}) check_rows(n, n_threads, random);
  }
  for (const bool missing : {false, true}) {
    for (const int n_threads : {1, 3}) {
      check_ranks<float>(2000, missing, n_threads, random);
      check_ranks<double>(2000, missing, n_threads, random);
    }
  }
  check_broken();
  check_pruning();
  return 0;
}
