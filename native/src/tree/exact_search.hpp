// The best split of a node by one feature: a scan of its sorted list.
//
// Candidates in the order of the scan: thresholds ascending, each with the missing values to the right, then to the
// left; last, all that is present to the left and all that is missing to the right. Of candidates that are equal (kTie)
// the first is taken. A scan finds the largest decrease and, as a rule, its first place; where candidates came close to
// each other on the way (`close`), a second scan stops at the first that is equal to the best of all features.
#pragma once

#include <algorithm>

#include "surefit/parallel.hpp"
#include "tree/exact_problem.hpp"

namespace surefit::exact_tree {

constexpr std::size_t kBetweenPolls = 16384;  // rows of a slow criterion

struct Limits {
  std::size_t min_leaf;
  double min_weight;
  std::int8_t monotonic;  // of this feature: sign of the allowed change from left to right, 0: any
  double lower, upper;
};

struct Pick {
  double tie = 0;              // decreases within this are equal
  double stop = kInfinity;     // the second scan: the first candidate of at least this decrease
  double best = -kInfinity;
  std::size_t n_left = 0;      // present rows that go left (for categories: how many of the order, or the set)
  bool missing_left = false, found = false, close = false, done = false;
  std::size_t order = 0, trying_order = 0;  // categories: which order
  bool by_mask = false, trying_mask = false;

  double bar() const { return stop < kInfinity ? -kInfinity : best; }  // what a candidate must exceed to be looked at

  void offer(double decrease, std::size_t n, bool left) {
    if (stop < kInfinity) {
      if (decrease < stop || done) return;
      take(n, left);
      best = decrease, found = done = true;
    } else if (decrease > best) {
      close = found && decrease <= best + tie;
      if (!close) take(n, left);
      best = decrease, found = true;
    }
  }

  void take(std::size_t n, bool left) {
    n_left = n, missing_left = left, order = trying_order, by_mask = trying_mask;
  }
};

template <class C>
bool allowed(const C& c, const typename C::Left& l, const Limits& limits) {
  const double left = c.left_weight(l), right = c.weight() - left;
  if (!(left > 0 && right > 0)) return false;  // lighter than the rounding of the other side
  if (left < limits.min_weight || right < limits.min_weight) return false;
  if (limits.monotonic == 0) return true;
  const double a = c.left_value(l), b = c.right_value(l);
  if (a < limits.lower || a > limits.upper || b < limits.lower || b > limits.upper) return false;
  return (b - a) * limits.monotonic >= 0;
}

template <class C>
void consider(const C& c, const typename C::Left& l, std::size_t n, bool missing_left, const Limits& limits,
              Pick& pick) {
  if (c.exceeds(l, pick.bar()) && allowed(c, l, limits)) pick.offer(c.decrease(l), n, missing_left);
}

// list: m entries of the node, all with values.
template <class Id, class C>
void scan_present(const C& c, const Id* list, std::size_t m, double* space, const Limits& limits, Pick& pick) {
  constexpr Id kId = static_cast<Id>(~kNew<Id>);
  if (m < 2 * limits.min_leaf) return;
  const std::size_t last = m - limits.min_leaf;
  auto left = c.empty(space);
  double bar = pick.bar();
  std::size_t n = 0;
  for (; n + 1 < limits.min_leaf; ++n) c.add(left, static_cast<Id>(list[n] & kId));
  const auto go_on = [&](std::size_t until) {
    while (n < until && !pick.done) {
      if constexpr (sizeof(Id) == sizeof(Row) && requires { c.prefetch(Row{}); }) {
        c.prefetch(list[std::min(n + kAhead, m - 1)] & kId);
      }
      c.add(left, static_cast<Id>(list[n] & kId));
      if (!(list[++n] & kNew<Id>) || !c.exceeds(left, bar)) continue;
      consider(c, left, n, false, limits, pick);
      bar = pick.bar();
    }
  };
  if (!C::kSlow || last < kBetweenPolls) return go_on(last);
  parallel_for((last - n + kBetweenPolls - 1) / kBetweenPolls, 1,  // so that interrupts are asked for
               [&](std::size_t, int) { go_on(std::min(last, n + kBetweenPolls)); });
}

// The last `missing` entries have no value. space: two times C::scratch numbers.
template <class Id, class C>
void scan(const C& c, const Id* list, std::size_t m, std::size_t missing, double* space, const Limits& limits,
          Pick& pick) {
  if (missing == 0) return scan_present(c, list, m, space, limits, pick);
  constexpr Id kId = static_cast<Id>(~kNew<Id>);
  const std::size_t present = m - missing, least = limits.min_leaf;
  auto left = c.empty(space), with_missing = c.empty(space + C::scratch(c.targets()));
  for (std::size_t i = present; i < m; ++i) c.add(with_missing, static_cast<Id>(list[i] & kId));
  for (std::size_t n = 0; n < present && !pick.done;) {
    const Id i = list[n] & kId;
    c.add(left, i), c.add(with_missing, i);
    ++n;
    if (n < present && !(list[n] & kNew<Id>)) continue;
    if (n >= least && m - n >= least) consider(c, left, n, false, limits, pick);
    if (n < present && n + missing >= least && present - n >= least) consider(c, with_missing, n, true, limits, pick);
  }
}

}  // namespace surefit::exact_tree
