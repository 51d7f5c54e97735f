// Neighbors by tree and by tiles against every distance in the order of the formula: ties, duplicates, offsets, one row,
// radius 0 and infinite, both precisions, 1 and 2 threads, under the sanitizers.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
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

}  // namespace

int main() {
  check_type<double>();
  check_type<float>();
  check_limits();
  return 0;
}
