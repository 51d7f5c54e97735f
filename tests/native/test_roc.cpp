// The ROC curve against counting every row at every threshold, and the pairs against counting each pair.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "check.hpp"
#include "metrics/roc.hpp"
#include "surefit/radix.hpp"

namespace {

template <class T>
struct Data {
  std::vector<T> score;
  std::vector<std::uint8_t> positive;
  std::vector<double> weight;

  Data(std::size_t n, int kind, unsigned seed) : score(n), positive(n), weight(n) {
    std::mt19937_64 random(seed);
    const T wicked[] = {T(0), -T(0), std::numeric_limits<T>::denorm_min(), -std::numeric_limits<T>::denorm_min(),
                        std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest(), T(1), T(-1)};
    for (std::size_t i = 0; i < n; ++i) {
      const T x = static_cast<T>(static_cast<double>(random() % 2000001) / 1e6 - 1);
      score[i] = kind == 0 ? x : kind == 1 ? std::round(x * 4) : kind == 2 ? wicked[random() % 8] : T(3);
      positive[i] = random() % 3 == 0;
      weight[i] = static_cast<double>(1 + random() % 5) / 4;  // sums of quarters round nothing
    }
  }
  surefit::roc::Rows<T> rows(bool weighted) const {
    return {score.data(), positive.data(), weighted ? weight.data() : nullptr, score.size()};
  }
};

struct Point {
  double threshold, tp, fp;
  bool operator==(const Point&) const = default;
};

template <class T>
std::vector<Point> by_definition(const Data<T>& data, bool weighted, bool corners) {
  std::set<double, std::greater<>> thresholds;
  for (T s : data.score) thresholds.insert(static_cast<double>(s + T(0)));
  std::vector<Point> all;
  for (double t : thresholds) {
    Point p{t, 0, 0};
    for (std::size_t i = 0; i < data.score.size(); ++i) {
      if (static_cast<double>(data.score[i]) >= t) (data.positive[i] ? p.tp : p.fp) += weighted ? data.weight[i] : 1.0;
    }
    all.push_back(p);
  }
  std::vector<Point> kept{{std::numeric_limits<double>::infinity(), 0, 0}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool inner = i > 0 && i + 1 < all.size();
    if (corners && inner && all[i].tp - all[i - 1].tp == all[i + 1].tp - all[i].tp &&
        all[i].fp - all[i - 1].fp == all[i + 1].fp - all[i].fp) {
      continue;
    }
    kept.push_back(all[i]);
  }
  return kept;
}

template <class T>
void test_curve(std::size_t n, int kind, unsigned seed) {
  const Data<T> data(n, kind, seed);
  for (bool weighted : {false, true}) {
    for (bool corners : {false, true}) {
      for (int n_threads : {1, 3}) {
        std::vector<double> fp(n + 1), tp(n + 1), threshold(n + 1);
        const std::size_t size =
            surefit::roc::curve(data.rows(weighted), corners, n_threads, fp.data(), tp.data(), threshold.data());
        const std::vector<Point> expected = by_definition(data, weighted, corners);
        CHECK(size == expected.size());
        for (std::size_t i = 0; i < size; ++i) CHECK((Point{threshold[i], tp[i], fp[i]} == expected[i]));
      }
    }
  }
}

template <class T>
void test_pairs(std::size_t n, int kind, unsigned seed) {
  const Data<T> data(n, kind, seed);
  std::uint64_t halves = 0;
  double area = 0, p = 0, q = 0;
  for (std::size_t i = 0; i < n; ++i) {
    (data.positive[i] ? p : q) += data.weight[i];
    for (std::size_t j = 0; j < n; ++j) {
      if (!data.positive[i] || data.positive[j]) continue;
      const unsigned half = data.score[i] > data.score[j] ? 2 : data.score[i] == data.score[j] ? 1 : 0;
      halves += half;
      area += 0.5 * half * data.weight[i] * data.weight[j];
    }
  }
  CHECK(surefit::roc::half_pairs(data.rows(false), 2) == halves);
  if (p == 0 || q == 0) return;
  CHECK(std::abs(surefit::roc::weighted_area(data.rows(true), 2) - area / (p * q)) < 1e-14);
}

// Keys have the order of the numbers and lead back to them.
template <class T>
void test_keys() {
  const T inf = std::numeric_limits<T>::infinity(), tiny = std::numeric_limits<T>::denorm_min();
  const std::vector<T> ascending{-inf, std::numeric_limits<T>::lowest(), T(-1), -tiny, T(0), tiny, T(1), inf};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    CHECK(surefit::radix::value_of<T>(surefit::radix::key_of(ascending[i])) == ascending[i]);
    if (i > 0) CHECK(surefit::radix::key_of(ascending[i - 1]) < surefit::radix::key_of(ascending[i]));
  }
  CHECK(surefit::radix::key_of(-T(0)) == surefit::radix::key_of(T(0)));
  CHECK(surefit::radix::key_of(std::numeric_limits<T>::quiet_NaN()) > surefit::radix::key_of(inf));
}

// Equal keys stay in the order in which they came; digits that all share are passed over.
void test_stable() {
  struct Item {
    std::uint64_t key;
    std::size_t place;
  };
  std::mt19937_64 random(5);
  for (std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{0xFF} << 40, std::uint64_t{0}}) {
    std::vector<Item> items(5000), other(5000);
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = {random() & mask, i};
    const Item* s = surefit::radix::sorted<std::uint32_t>(items.data(), other.data(), items.size());
    for (std::size_t i = 1; i < items.size(); ++i) {
      CHECK(s[i - 1].key < s[i].key || (s[i - 1].key == s[i].key && s[i - 1].place < s[i].place));
    }
  }
}

}  // namespace

int main() {
  for (std::size_t n : {0, 1, 2, 3, 17, 300, 900}) {
    for (int kind = 0; kind < 4; ++kind) {
      test_curve<float>(n, kind, 1);
      test_curve<double>(n, kind, 2);
      test_pairs<float>(n, kind, 3);
      test_pairs<double>(n, kind, 4);
    }
  }
  test_keys<float>();
  test_keys<double>();
  test_stable();
  return 0;
}
