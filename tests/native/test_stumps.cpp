// The best stump against every threshold of every column in long double, under the sanitizers.
#include "tree/stumps.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "check.hpp"

namespace {

using Real = long double;

struct Data {
  std::size_t n, d, k;
  std::vector<double> columns, w;
  std::vector<std::int32_t> codes;
};

Data some_data(std::size_t n, std::size_t d, std::size_t k, int values, unsigned seed) {
  std::mt19937 random(seed);
  Data data{n, d, k, std::vector<double>(n * d), std::vector<double>(n), std::vector<std::int32_t>(n)};
  for (double& x : data.columns) x = static_cast<double>(random() % static_cast<unsigned>(values)) - 2;
  for (double& x : data.w) x = static_cast<double>(random() % 7 + 1) / 16;
  for (auto& c : data.codes) c = static_cast<std::int32_t>(random() % k);
  return data;
}

Real side(const std::vector<Real>& c) {
  Real total = 0, squares = 0;
  for (const Real x : c) total += x, squares += x * x;
  return total > 0 ? total - squares / total : 0;
}

// The impurity when column j is cut at `at`; −1 if a side is empty.
Real impurity(const Data& data, std::size_t j, double at) {
  std::vector<Real> left(data.k, 0), right(data.k, 0);
  std::size_t n_left = 0;
  for (std::size_t i = 0; i < data.n; ++i) {
    const bool goes_left = data.columns[j * data.n + i] <= at;
    (goes_left ? left : right)[static_cast<std::size_t>(data.codes[i])] += data.w[i];
    n_left += goes_left;
  }
  return n_left == 0 || n_left == data.n ? -1 : side(left) + side(right);
}

void check(const Data& data) {
  std::vector<std::int32_t> order(data.n * data.d);
  surefit::stumps::sort_columns(data.columns.data(), data.n, data.d, 2, order.data());
  const surefit::stumps::Rows rows{order.data(), data.codes.data(), data.w.data(), data.n, data.d, data.k};
  const auto found = surefit::stumps::best_split(rows, 2);
  const auto again = surefit::stumps::best_split(rows, 1);
  CHECK(found.feature == again.feature && found.place == again.place);

  Real least = -1;
  for (std::size_t j = 0; j < data.d; ++j) {
    for (std::size_t i = 0; i < data.n; ++i) {
      const Real here = impurity(data, j, data.columns[j * data.n + i]);
      if (here >= 0 && (least < 0 || here < least)) least = here;
    }
  }
  if (least < 0) {
    CHECK(found.feature == -1);
    return;
  }
  const auto f = static_cast<std::size_t>(found.feature), p = static_cast<std::size_t>(found.place);
  const std::int32_t entry = order[f * data.n + p];
  CHECK(entry < 0);
  const double at = data.columns[f * data.n + static_cast<std::size_t>(~entry)];
  CHECK(impurity(data, f, at) <= least + 1e-11L);
  // none that is as good comes before it
  for (std::size_t j = 0; j <= f; ++j) {
    for (std::size_t i = 0; i < data.n; ++i) {
      const double cut = data.columns[j * data.n + i];
      const Real here = impurity(data, j, cut);
      if (here >= 0 && (j < f || cut < at)) CHECK(here > least + 1e-14L);
    }
  }
}

}  // namespace

int main() {
  for (unsigned seed = 0; seed < 60; ++seed) {
    for (const std::size_t k : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{5}}) {
      check(some_data(1 + seed % 40, 1 + seed % 4, k, 2 + static_cast<int>(seed % 9), seed));
    }
  }
  check(some_data(700, 2, 2, 300, 1));  // more than one block
  check(some_data(30, 3, 2, 1, 2));     // constant columns
  return 0;
}
