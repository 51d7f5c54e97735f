// Exact trees on wicked columns under the sanitizers: every criterion, any number of threads, a root by all splits.
#include "tree/exact_grow.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"

namespace {

using namespace surefit::exact_tree;

struct Data {
  std::size_t n, d;
  std::vector<double> x, y, w;
  std::vector<std::int32_t> code;
  std::vector<std::uint8_t> categorical;
};

// Columns: constant, all missing, two values, offset fractions, denormals, infinities and −0, categories, chance.
Data wicked(std::size_t n, unsigned seed) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kTiny = 5e-324;
  constexpr double kHuge = std::numeric_limits<double>::infinity();
  std::mt19937 random(seed);
  Data a{n, 8, {}, {}, {}, {}, {0, 0, 0, 0, 0, 0, 1, 0}};
  for (std::size_t i = 0; i < n; ++i) {
    const double ends[] = {-kHuge, -0.0, 0.0, kHuge, kNan};
    a.x.insert(a.x.end(), {7.0, kNan, double(random() % 2), 1e8 + 0.25 * double(random() % 9),
                           kTiny * double(random() % 5), ends[random() % 5],
                           random() % 6 ? double(random() % 200) : kNan, double(random()) / 1e9});
    a.y.push_back(1e6 + double(random() % 7)), a.code.push_back(static_cast<std::int32_t>(random() % 3));
    a.w.push_back(double(random() % 3));
  }
  return a;
}

Options options_of(Criterion criterion, std::size_t d, int n_threads) {
  return {criterion, false, std::size_t{1} << 40, 2, 1, 0.0, d, 0, 0.0, nullptr, 1, n_threads};
}

struct Result {
  Grown tree;
  std::vector<std::int64_t> leaf;
};

Result grown(const Data& a, const Options& options, bool weighted) {
  std::vector<Row> lists(a.n * a.d);
  std::vector<std::uint8_t> missing(a.d);
  presort(a.x.data(), a.n, a.d, lists.data(), missing.data(), options.n_threads);
  const Columns columns{lists.data(), a.n, a.d, a.x.data(), false, missing.data(), a.categorical.data()};
  const double shift = 0;
  Targets targets;
  const bool by_class = options.criterion == Criterion::gini || options.criterion == Criterion::entropy;
  if (by_class) targets.code = a.code.data(), targets.n_classes = 3;
  if (!by_class) targets.y = a.y.data();
  targets.w = weighted ? a.w.data() : nullptr, targets.shift = &shift;
  Result result{{}, std::vector<std::int64_t>(a.n)};
  result.tree = grow(columns, targets, options, result.leaf.data());
  return result;
}

void check_counts(const Data& a, const Result& r, bool weighted) {
  const Grown& t = r.tree;
  std::vector<std::int64_t> rows(t.size());
  for (std::size_t i = 0; i < a.n; ++i) {
    CHECK((r.leaf[i] < 0) == (weighted && a.w[i] == 0));
    if (r.leaf[i] >= 0) ++rows[static_cast<std::size_t>(r.leaf[i])];
  }
  for (std::size_t k = t.size(); k-- > 0;) {
    if (t.left[k] >= 0) {
      CHECK(t.left[k] > static_cast<std::int64_t>(k) && t.right[k] > t.left[k]);
      rows[k] += rows[static_cast<std::size_t>(t.left[k])] + rows[static_cast<std::size_t>(t.right[k])];
      CHECK(rows[static_cast<std::size_t>(t.left[k])] > 0 && rows[static_cast<std::size_t>(t.right[k])] > 0);
      CHECK(t.feature[k] != 0 && t.feature[k] != 1);  // constant or missing everywhere
      CHECK((t.category_row[k] >= 0) == (t.feature[k] == 6));
    }
    CHECK(rows[k] == t.count[k]);
    CHECK(std::isfinite(t.impurity[k]) && t.impurity[k] >= 0);
  }
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

bool same_tree(const Result& a, const Result& b) {
  return same_bits(a.tree.left, b.tree.left) && same_bits(a.tree.feature, b.tree.feature) &&
         same_bits(a.tree.threshold, b.tree.threshold) && same_bits(a.tree.value, b.tree.value) &&
         same_bits(a.tree.impurity, b.tree.impurity) && same_bits(a.leaf, b.leaf);
}

// The largest decrease of the squared error by a threshold on the last column, in long double.
long double best_decrease(const Data& a) {
  const auto error = [&](auto&& in) {
    long double n = 0, mean = 0, sum = 0;
    for (std::size_t i = 0; i < a.n; ++i) n += in(i), mean += in(i) ? a.y[i] : 0.0;
    mean /= n > 0 ? n : 1;
    for (std::size_t i = 0; i < a.n; ++i) sum += in(i) ? (a.y[i] - mean) * (a.y[i] - mean) : 0.0L;
    return sum;
  };
  const auto at = [&](std::size_t i) { return a.x[i * a.d + a.d - 1]; };
  long double best = -1;
  for (std::size_t k = 0; k < a.n; ++k) {
    const long double left = error([&](std::size_t i) { return at(i) <= at(k); });
    const long double parts = left + error([&](std::size_t i) { return at(i) > at(k); });
    best = std::max(best, error([](std::size_t) { return true; }) - parts);
  }
  return best;
}

void test_root() {
  Data a = wicked(60, 5);
  Data last{a.n, 1, {}, a.y, a.w, a.code, {0}};
  for (std::size_t i = 0; i < a.n; ++i) last.x.push_back(a.x[i * a.d + a.d - 1]);
  const Grown t = grown(last, options_of(Criterion::squared_error, 1, 1), false).tree;
  const auto sum = [&](std::int64_t node) {
    const auto k = static_cast<std::size_t>(node);
    return t.impurity[k] * t.weight[k];
  };
  const double decrease = sum(0) - sum(t.left[0]) - sum(t.right[0]);
  CHECK(std::abs(decrease - static_cast<double>(best_decrease(last))) < 1e-9 * sum(0));
}

}  // namespace

int main() {
  for (const Criterion criterion : {Criterion::gini, Criterion::entropy, Criterion::squared_error, Criterion::poisson,
                                    Criterion::absolute_error}) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{50}, std::size_t{700},
                                std::size_t{criterion == Criterion::absolute_error ? 1000u : 9000u}}) {
      for (const bool weighted : {false, true}) {
        Data a = wicked(n, static_cast<unsigned>(n));
        a.w[0] = 1;
        Options options = options_of(criterion, a.d, 1);
        if (n > 5000) options.max_depth = 6;
        const Result one = grown(a, options, weighted);
        check_counts(a, one, weighted);
        options.n_threads = 3;
        CHECK(same_tree(one, grown(a, options, weighted)));
        options.max_leaf_nodes = 9, options.max_features = 4, options.random_splitter = n % 2;
        const Result few = grown(a, options, weighted);
        CHECK(few.tree.size() <= 17);
        check_counts(a, few, weighted);
      }
    }
  }
  test_root();
  return 0;
}
