// Trees from histograms under the sanitizers: every form of cell, missing bins and categories, any number of threads, with
// and without a copy of the columns; bins of wicked values; slopes of large scores.
#include "tree/histogram_grow.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "summaries/bins.hpp"
#include "tree/boosting_pass.hpp"

namespace {

using namespace surefit::histogram;

struct Data {
  std::size_t n, d = 3;
  std::vector<std::uint8_t> bins;
  std::vector<double> g, h, c;
  std::vector<Feature> features{{0, 200, false}, {1, 7, false}, {2, 9, true}};
};

Data wicked(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  Data a{n, 3, {}, {}, {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    const auto bin = [&](unsigned most) { return static_cast<std::uint8_t>(random() % 9 ? random() % most : 255); };
    const std::uint8_t row[] = {bin(200), bin(7), bin(9)};
    a.bins.insert(a.bins.end(), row, row + 3);
    a.g.push_back(double(random() % 2001) - 1000), a.h.push_back(double(random() % 100) / 100);
    a.c.push_back(double(random() % 3 + 1));
  }
  return a;
}

Grown grown(const Data& a, const double* h, const double* c, Options options, bool columns) {
  const BinnedRows rows(a.bins.data(), a.n, a.d, columns, options.n_threads);
  Statistics statistics;
  const double weight = c ? std::accumulate(c, c + a.n, 0.0) : static_cast<double>(a.n);
  statistics.round(a.g.data(), h, c, a.n, scale_of(a.g.data(), h, c, a.n, weight, options.n_threads), options.n_threads);
  Memory memory;
  grow(rows, a.features, statistics, options, memory);  // the second tree finds the memory of the first
  return grow(rows, a.features, statistics, options, memory);
}

void test_forms_and_threads() {
  const Data a = wicked(40000, 1);
  for (int form = 0; form < 4; ++form) {
    const double* h = form % 2 ? a.h.data() : nullptr;
    const double* c = form / 2 ? a.c.data() : nullptr;
    for (const std::size_t leaves : {std::size_t{0}, std::size_t{31}}) {
      Options options;
      options.rules.min_weight = 20;
      options.max_leaves = leaves;
      options.max_depth = leaves ? 0 : 5;
      const Grown one = grown(a, h, c, options, true);
      options.n_threads = 3;
      const Grown other = grown(a, h, c, options, false);
      CHECK(one.left.size() > 3);
      CHECK(one.left == other.left && one.feature == other.feature && one.bin == other.bin && one.value == other.value);
      double weight = 0;
      for (std::size_t i = 0; i < one.left.size(); ++i) weight += one.left[i] < 0 ? one.weight[i] : 0;
      CHECK(weight == one.weight[0]);
    }
  }
}

void test_few_rows() {
  for (const std::size_t n : {1, 2, 5}) {
    const Data a = wicked(n, 3);
    Options options;
    const Grown tree = grown(a, nullptr, nullptr, options, true);
    CHECK(tree.left.size() % 2 == 1 && tree.n_rows[0] == static_cast<std::int64_t>(n));
  }
}

void test_bins() {
  const double kHuge = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> x{-kHuge, -1, 0, 0.5, kHuge, kNan, -3, 255, 254, kNan}, thresholds{-1, 0.25, 1e300};
  const std::vector<std::int64_t> starts{0, 3, 3};
  const std::vector<std::uint8_t> categorical{0, 1}, expected{0, 255, 1, 0, 3, 255, 0, 255, 2, 255};
  std::vector<std::uint8_t> out(10);
  surefit::bins::transform(x.data(), 5, 2, 1, {thresholds.data(), starts.data(), categorical.data(), 2}, 2, out.data());
  CHECK(out == expected);
}

void test_slopes() {
  const std::vector<double> raw{0, 800, -800, 1, -1}, y{1, 0, 1, 1, 0};
  std::vector<double> g(5), h(5);
  const double loss = surefit::boosting::logistic(raw.data(), y.data(), nullptr, 5, g.data(), h.data(), 2);
  CHECK(std::fabs(loss - (1600 + std::log(2.0) + 2 * std::log1p(std::exp(-1.0)))) < 1e-9);
  CHECK(g[0] == -0.5 && h[0] == 0.25 && g[1] == 1 && g[2] == -1);
}

}  // namespace

int main() {
  test_forms_and_threads();
  test_few_rows();
  test_bins();
  test_slopes();
  return 0;
}
