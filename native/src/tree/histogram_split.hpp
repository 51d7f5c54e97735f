// The best split of a node by one feature, from its cells.
//
// A side with sums (G, H) takes the Newton step v = −G / (H + l2), clipped to the bounds of its node; its score is −G v,
// and the gain of a split is score(left) + score(right) − score(node). On offer are
//
//   numbers      bins 0 … b to the left, missing values to the right, or (where the node has some) to the left
//   categories   those of weight ≥ 10, in the order of G / (H + 10), missing values being one of them: the first few,
//                or the last few, to the left (at most half of them)
//
// with weight ≥ min_weight and H ≥ 1e-3 on both sides and, under a constraint, left and right step in its order. A score
// counts as larger if it is by a relative 1e-12; among equal ones the first wins: the lowest feature, missing values to
// the right, the lowest bin.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "histogram_loops.hpp"

namespace surefit::histogram {

constexpr double kTie = 1 + 1e-12;
constexpr double kLeastSupport = 10, kSmoothing = 10;

struct Rules {
  double l2 = 0, min_weight = 1;
  const std::int8_t* monotonic = nullptr;  // −1, 0, 1 for each feature, or none
};

struct Feature {
  std::size_t number;
  std::size_t n_bins;  // without that of missing values
  bool categorical;
};

struct Bounds {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  double clip(double v) const { return std::min(std::max(v, low), high); }
};

template <class Cell>
struct Split {
  double score = 0;  // of both sides; 0: there is none
  std::size_t feature = 0, bin = 0;
  bool missing_left = false, categorical = false;
  std::array<std::uint64_t, 4> set{};  // of categories, left
  Cell left{};
};

template <class Kind>
class Scan {
 public:
  using Cell = typename Kind::Cell;

  Scan(const Grid& grid, const Rules& rules, Bounds bounds, Cell total)
      : grid_(grid), rules_(rules), bounds_(bounds), total_(total), all_(Kind::sums(total, grid)) {}

  // Improves `best` where this feature offers more.
  void look(const Feature& feature, const Cell* cells, Split<Cell>& best) const {
    if (feature.categorical) {
      look_at_sets(feature, cells, best);
      return;
    }
    const bool missing = Kind::count(cells[kMissing], grid_.shift) > 0;
    look_at_thresholds(feature, cells, false, missing ? feature.n_bins : feature.n_bins - 1, best);
    if (missing) look_at_thresholds(feature, cells, true, feature.n_bins - 1, best);
  }

  // Whether the rows of the node have more than one value of the feature (missing being one).
  bool varies(const Feature& feature, const Cell* cells) const {
    int found = Kind::count(cells[kMissing], grid_.shift) > 0;
    for (std::size_t b = 0; b < feature.n_bins && found < 2; ++b) found += Kind::count(cells[b], grid_.shift) > 0;
    return found > 1;
  }

 private:
  void look_at_thresholds(const Feature& feature, const Cell* cells, bool missing_left, std::size_t n,
                          Split<Cell>& best) const {
    const Cell start = missing_left ? cells[kMissing] : Cell{};
    double scores[kBins];
    if (rules_.monotonic == nullptr) {
      const Limits limits{rules_.l2, rules_.min_weight};
      SUREFIT_TABLE(histogram_loops).template of<Kind>().scores(cells, start, n, grid_, all_, limits, scores);
    } else {
      clipped_scores(cells, start, n, rules_.monotonic[feature.number], scores);
    }
    std::size_t place = n;
    double most = best.score * kTie;
    for (std::size_t b = 0; b < n; ++b) {
      if (scores[b] > most) most = scores[place = b] * kTie;
    }
    if (place == n) return;
    best = {scores[place], feature.number, place, missing_left, false, {}, start};
    for (std::size_t b = 0; b <= place; ++b) best.left += cells[b];
  }

  void clipped_scores(const Cell* cells, Cell left, std::size_t n, int sign, double* scores) const {
    for (std::size_t b = 0; b < n; ++b) {
      left += cells[b];
      const Sums l = Kind::sums(left, grid_);
      const Sums r{all_.g - l.g, all_.h - l.h, all_.c - l.c};
      const bool allowed = std::min(l.c, r.c) >= rules_.min_weight && std::min(l.h, r.h) >= kLeastHessian;
      scores[b] = allowed ? clipped(l, r, sign) : -std::numeric_limits<double>::infinity();
    }
  }

  // −∞ where the steps are not in the order of the constraint.
  double clipped(const Sums& l, const Sums& r, int sign) const {
    const double left = bounds_.clip(-l.g / (l.h + rules_.l2)), right = bounds_.clip(-r.g / (r.h + rules_.l2));
    if ((sign > 0 && left > right) || (sign < 0 && left < right)) return -std::numeric_limits<double>::infinity();
    return -(l.g * left + r.g * right);
  }

  void look_at_sets(const Feature& feature, const Cell* cells, Split<Cell>& best) const {
    std::array<std::uint8_t, kBins> order;
    std::array<double, kBins> rank;
    std::size_t m = 0;
    for (std::size_t b = 0; b < kBins; ++b) {
      if (b >= feature.n_bins && b != kMissing) continue;
      const Sums s = Kind::sums(cells[b], grid_);
      // Rows that carry the category's share of the curvature; ten that round to less than ten are ten.
      if (s.h * all_.c < kLeastSupport * all_.h * (1 - 1e-9)) continue;
      rank[b] = s.g / (s.h + kSmoothing);
      order[m++] = static_cast<std::uint8_t>(b);
    }
    if (m < 2) return;
    std::stable_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(m),
                     [&](std::uint8_t a, std::uint8_t b) { return rank[a] < rank[b]; });
    for (const bool from_end : {false, true}) {
      Cell left{};
      std::array<std::uint64_t, 4> set{};
      for (std::size_t i = 0; i < (m + 1) / 2; ++i) {
        const std::size_t b = order[from_end ? m - 1 - i : i];
        left += cells[b];
        set[b / 64] |= std::uint64_t{1} << (b % 64);
        take_set(feature, set, left, best);
      }
    }
  }

  void take_set(const Feature& feature, const std::array<std::uint64_t, 4>& set, Cell left, Split<Cell>& best) const {
    const Sums l = Kind::sums(left, grid_);
    const Sums r{all_.g - l.g, all_.h - l.h, all_.c - l.c};
    if (std::min(l.c, r.c) < rules_.min_weight || std::min(l.h, r.h) < kLeastHessian) return;
    const double score = clipped(l, r, 0);
    if (score <= best.score * kTie) return;
    best = {score, feature.number, 0, (set[3] >> 63) != 0, true, set, left};
    best.set[3] &= ~(std::uint64_t{1} << 63);
  }

  const Grid& grid_;
  const Rules& rules_;
  Bounds bounds_;
  Cell total_;
  Sums all_;
};

}  // namespace surefit::histogram
