// Neighbors by tree and by tiles against every distance in the order of the formula: ties, duplicates, offsets, one row,
// radius 0 and infinite, both precisions, 1 and 2 threads, under the sanitizers.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "search/nth_value.hpp"
#include "search/pairwise.hpp"
#include "search/tiles.hpp"
#include "search/tree_search.hpp"

namespace {

using namespace surefit;
using namespace surefit::search;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
std::vector<T> rows_of(std::size_t n, std::size_t d, unsigned seed, bool whole, double offset) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<T> x(n * d);
  for (T& v : x) v = static_cast<T>((whole ? std::floor(1.5 * std::fabs(normal(random))) : normal(random)) + offset);
  return x;
}

// Written for reading: one pair at a time.
template <class T>
double distance(const T* a, const T* b, std::size_t d, const Form& form) {
  double raw = 0;
  for (std::size_t j = 0; j < d; ++j) {
    const double gap = std::fabs(static_cast<double>(a[j]) - static_cast<double>(b[j]));
    if (form.order == Order::infinity) {
      raw = std::max(raw, gap);
      continue;
    }
    double term = form.order == Order::two ? gap * gap : form.order == Order::one ? gap : std::pow(gap, form.p);
    if (form.weights) term *= form.weights[j];
    raw += term;
  }
  if (form.finish == Finish::none) return raw;
  if (form.finish == Finish::half) return 0.5 * raw;
  return form.order == Order::two ? std::sqrt(raw) : form.order == Order::power ? std::pow(raw, 1 / form.p) : raw;
}

template <class T>
std::vector<Neighbor> sorted(const std::vector<T>& x, std::size_t d, const T* query, std::int64_t self, const Form& form) {
  std::vector<Neighbor> all;
  for (std::size_t i = 0; i < x.size() / d; ++i) {
    if (static_cast<std::int64_t>(i) != self) all.push_back({distance(query, &x[i * d], d, form), static_cast<std::int64_t>(i)});
  }
  std::sort(all.begin(), all.end(), [](const Neighbor& a, const Neighbor& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.id < b.id;
  });
  return all;
}

template <class T>
struct Case {
  std::size_t d;
  std::vector<T> x, q;
  Form form;

  std::size_t n() const { return x.size() / d; }
  std::size_t m() const { return q.size() / d; }
  DenseRows<T> rows() const { return {x.data(), n(), d}; }
};

template <class T, class Search>
void check_nearest(const Case<T>& c, bool self, Search&& search) {
  const std::size_t m = self ? c.n() : c.m(), most = c.n() - self;
  const std::vector<T>& queries = self ? c.x : c.q;
  for (const std::size_t k : {std::size_t{1}, std::min<std::size_t>(9, most), most}) {
    std::vector<double> distances(m * k);
    std::vector<std::int64_t> ids(m * k);
    search(k, distances.data(), ids.data());
    for (std::size_t i = 0; i < m; i += 7) {
      const auto wanted = sorted(c.x, c.d, &queries[i * c.d], self ? static_cast<std::int64_t>(i) : -1, c.form);
      for (std::size_t j = 0; j < k; ++j) {
        CHECK(ids[i * k + j] == wanted[j].id);
        CHECK(distances[i * k + j] == wanted[j].distance);
      }
    }
  }
}

template <class T, class Within, class Count>
void check_radius(const Case<T>& c, Within&& within_radius, Count&& count) {
  const auto some = sorted(c.x, c.d, &c.q[0], -1, c.form);
  for (const double radius : {0.0, some[some.size() / 3].distance, kInfinity}) {
    const Neighborhoods found = within_radius(radius);
    std::vector<std::int64_t> counts(c.m(), -1);
    count(radius, counts.data());
    for (std::size_t i = 0; i < c.m(); i += 5) {
      auto at = static_cast<std::size_t>(found.indptr[i]);
      for (std::size_t r = 0; r < c.n(); ++r) {
        const double wanted = distance(&c.q[i * c.d], &c.x[r * c.d], c.d, c.form);
        if (!(wanted <= radius)) continue;
        CHECK(found.ids[at] == static_cast<std::int64_t>(r) && found.distances[at] == wanted);
        ++at;
      }
      CHECK(at == static_cast<std::size_t>(found.indptr[i + 1]));
      CHECK(counts[i] == found.indptr[i + 1] - found.indptr[i]);
    }
  }
}

template <class T>
void check_case(const Case<T>& c) {
  const Queries<T> queries{c.q.data(), c.m(), 0}, own{nullptr, c.n(), 0};
  const TileQueries<T, T> tile_queries{c.rows(), c.q.data(), c.m(), 0}, tile_own{c.rows(), nullptr, c.n(), 0};
  for (const int threads : {1, 2}) {
    const KdTree tree = build_tree(c.rows(), threads);
    check_nearest(c, false, [&](auto k, auto* d, auto* i) { nearest(tree, queries, c.form, k, false, threads, d, i); });
    if (c.n() > 1) {
      check_nearest(c, true, [&](auto k, auto* d, auto* i) { nearest(tree, own, c.form, k, true, threads, d, i); });
    }
    check_radius(
        c, [&](double r) { return within(tree, queries, c.form, r, false, false, c.n() * c.m(), threads); },
        [&](double r, auto* counts) { count_within(tree, queries, c.form, r, threads, counts); });
    if (c.form.order != Order::two) continue;
    const Tiles tiles = build_tiles(c.rows(), c.form.weights, threads);
    check_nearest(c, false, [&](auto k, auto* d, auto* i) { nearest(tiles, tile_queries, c.form, k, false, threads, d, i); });
    if (c.n() > 1) {
      check_nearest(c, true, [&](auto k, auto* d, auto* i) { nearest(tiles, tile_own, c.form, k, true, threads, d, i); });
    }
    check_radius(
        c, [&](double r) { return within(tiles, tile_queries, c.form, r, false, false, c.n() * c.m(), threads); },
        [&](double r, auto* counts) { count_within(tiles, tile_queries, c.form, r, threads, counts); });
  }
  std::vector<double> all(c.m() * c.n());
  pairwise(DenseRows<T>{c.q.data(), c.m(), c.d}, c.rows(), c.form, 2, all.data());
  for (std::size_t i = 0; i < all.size(); i += 3) {
    CHECK(all[i] == distance(&c.q[i / c.n() * c.d], &c.x[i % c.n() * c.d], c.d, c.form));
  }
}

template <class T>
void check_type() {
  const std::vector<double> weights{0.5, 2, 0, 1, 3, 0.25, 1, 1, 1};
  const Form forms[] = {{Order::two, Finish::root, 2, nullptr},     {Order::two, Finish::root, 2, weights.data()},
                        {Order::two, Finish::half, 2, nullptr},     {Order::two, Finish::none, 2, nullptr},
                        {Order::one, Finish::root, 1, nullptr},     {Order::one, Finish::root, 1, weights.data()},
                        {Order::infinity, Finish::root, 0, nullptr}, {Order::power, Finish::root, 3, nullptr}};
  for (const Form& form : forms) {
    for (const std::size_t d : {std::size_t{1}, std::size_t{3}, std::size_t{9}}) {
      for (const std::size_t n : {std::size_t{1}, std::size_t{33}, std::size_t{300}}) {
        for (const bool whole : {false, true}) {
          const double offset = whole ? 0 : sizeof(T) == 8 ? 1e8 : 1e3;
          check_case(Case<T>{d, rows_of<T>(n, d, 1, whole, offset), rows_of<T>(21, d, 2, whole, offset), form});
        }
      }
    }
  }
  // All rows equal; queries that single precision cannot hold next to the rows.
  const Form euclidean{Order::two, Finish::root, 2, nullptr};
  check_case(Case<T>{3, std::vector<T>(3 * 200, T(0.1)), std::vector<T>(9, T(0.1)), euclidean});
  std::vector<T> far = rows_of<T>(9, 5, 3, false, 0);
  for (T& v : far) v *= T(1e18);
  check_case(Case<T>{5, rows_of<T>(150, 5, 4, false, 0), far, euclidean});
}

void check_limits() {
  const std::vector<double> x(40, 1.0);
  const KdTree tree = build_tree(DenseRows<double>{x.data(), 40, 1}, 1);
  const Form form{Order::two, Finish::root, 2, nullptr};
  bool refused = false;
  try {
    within(tree, Queries<double>{nullptr, 40, 0}, form, 1.0, false, false, 100, 2);
  } catch (const TooMany&) {
    refused = true;
  }
  CHECK(refused);
  for (const double value : {0.0, 5e-324, 1e-200, 1e-160, 0.3, 1.0, 1e200}) {
    for (const Finish finish : {Finish::root, Finish::none, Finish::half}) {
      const Form f{Order::two, finish, 2, nullptr};
      CHECK(value <= raw_limit(f, finished(f, value)));
      if (raw_sure(f, value) >= 0) CHECK(finished(f, raw_sure(f, value)) <= value);
    }
  }
}

// The numbers of a long row: anywhere, few different ones, rising, falling, in waves that mislead a sample, all equal.
std::vector<double> numbers_of(std::size_t n, int how) {
  std::vector<double> x = rows_of<double>(n, 1, 5, how == 1, 0);
  if (how == 2 || how == 3) std::sort(x.begin(), x.end());
  if (how == 3) std::reverse(x.begin(), x.end());
  for (std::size_t i = 0; i < n && how == 4; ++i) x[i] = static_cast<double>(i % (n / 512 + 1));
  if (how == 5) std::fill(x.begin(), x.end(), -2.5);
  return x;
}

void check_nth_value() {
  for (const std::size_t n : {1, 2, 13, 100, 4096, 4097, 20000}) {
    for (int how = 0; how < 6; ++how) {
      const std::vector<double> x = numbers_of(n, how);
      std::vector<double> rising = x;
      std::sort(rising.begin(), rising.end());
      for (const std::size_t k : {std::size_t{0}, n / 3, n / 2, n - 1}) {
        std::vector<double> values = x, others(n);
        CHECK(nth_value(values.data(), n, k, others.data()) == rising[k]);
      }
    }
  }
}

// Every row is in one leaf, ids rise there, boxes are tight, splits divide, and two threads build the same.
void check_node(const KdTree& tree, const std::vector<double>& x, const Node& node, std::vector<int>& seen) {
  const std::size_t d = tree.d;
  std::vector<double> low(d, kInfinity), high(d, -kInfinity);
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (std::size_t l = node.first_leaf; l < node.end_leaf; ++l) {
    for (std::size_t i = 0; i < tree.leaf_rows(l); ++i) {
      const std::int64_t id = tree.leaf_ids(l)[i];
      CHECK(i == 0 || id > tree.leaf_ids(l)[i - 1]);
      first = std::min(first, id);
      if (node.is_leaf()) ++seen[static_cast<std::size_t>(id)];
      for (std::size_t j = 0; j < d; ++j) {
        const double v = x[static_cast<std::size_t>(id) * d + j];
        CHECK(tree.leaf(l)[j * kLeafRows + i] == v);
        low[j] = std::min(low[j], v);
        high[j] = std::max(high[j], v);
      }
    }
  }
  CHECK(first == tree.first[node.number]);
  CHECK(std::equal(low.begin(), low.end(), tree.low(node.number)));
  CHECK(std::equal(high.begin(), high.end(), tree.high(node.number)));
  if (node.is_leaf()) return;
  check_node(tree, x, node.left(), seen);
  check_node(tree, x, node.right(), seen);
  const std::size_t j = tree.column[node.number];
  CHECK(tree.high(node.left().number)[j] <= tree.split[node.number]);
  CHECK(tree.low(node.right().number)[j] == tree.split[node.number]);
}

void check_tree_of_many() {
  constexpr std::size_t n = 20003, d = 2;
  for (const int how : {0, 1, 2, 4, 5}) {
    const std::vector<double> x = numbers_of(n * d, how);
    const KdTree tree = build_tree(DenseRows<double>{x.data(), n, d}, 1);
    const KdTree by_two = build_tree(DenseRows<double>{x.data(), n, d}, 2);
    std::vector<int> seen(n, 0);
    check_node(tree, x, tree.root(), seen);
    CHECK(std::count(seen.begin(), seen.end(), 1) == static_cast<std::ptrdiff_t>(n));
    const std::size_t last = tree.n_leaves - 1;
    for (std::size_t i = tree.leaf_rows(last); i < kLeafRows; ++i) CHECK(tree.leaf_ids(last)[i] == -1);
    CHECK(std::equal(tree.ids.data(), tree.ids.data() + tree.ids.size(), by_two.ids.data()));
    CHECK(std::equal(tree.points.data(), tree.points.data() + tree.points.size(), by_two.points.data()));
    CHECK(std::equal(tree.boxes.data(), tree.boxes.data() + tree.boxes.size(), by_two.boxes.data()));
    CHECK(tree.split == by_two.split && tree.column == by_two.column && tree.first == by_two.first);
  }
}

}  // namespace

int main() {
  check_nth_value();
  check_tree_of_many();
  check_type<double>();
  check_type<float>();
  check_limits();
  return 0;
}
