#include "tree/pruning.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace surefit::trees {

namespace {

constexpr std::int32_t kNone = -1;
constexpr double kEqual = 1 - 1e-12;

// A leftist heap of nodes, the largest α on top: the way down to the right has at most log₂ n steps.
class Kinks {
 public:
  Kinks(const double* alpha, std::size_t n) : alpha_(alpha), left_(n, kNone), right_(n, kNone), steps_(n, 1) {}

  std::int32_t merge(std::int32_t a, std::int32_t b) {
    if (a == kNone) return b;
    if (b == kNone) return a;
    if (alpha_[a] < alpha_[b]) std::swap(a, b);
    const auto top = static_cast<std::size_t>(a);
    right_[top] = merge(right_[top], b);
    if (steps(left_[top]) < steps(right_[top])) std::swap(left_[top], right_[top]);
    steps_[top] = steps(right_[top]) + 1;
    return a;
  }

  std::int32_t without_top(std::int32_t a) {
    const auto top = static_cast<std::size_t>(a);
    return merge(left_[top], right_[top]);
  }

 private:
  const double* alpha_;
  std::vector<std::int32_t> left_, right_, steps_;

  std::int32_t steps(std::int32_t a) const { return a == kNone ? 0 : steps_[static_cast<std::size_t>(a)]; }
};

}  // namespace

void pruning_steps(const std::int32_t* left, const std::int32_t* right, const double* cost, std::size_t n, double* alpha,
                   double* rise, std::int64_t* fall) {
  Kinks kinks(alpha, n);
  std::vector<std::int32_t> heap(n, kNone);
  std::fill_n(alpha, n, std::numeric_limits<double>::infinity());
  std::fill_n(rise, n, 0.0);
  std::fill_n(fall, n, std::int64_t{0});
  for (std::size_t t = n; t-- > 0;) {
    if (left[t] < 0 && right[t] < 0) continue;
    const auto l = static_cast<std::size_t>(left[t]), r = static_cast<std::size_t>(right[t]);
    if (left[t] < 0 || right[t] < 0 || l <= t || r <= t || l >= n || r >= n) {
      throw std::invalid_argument("the tree is broken at node " + std::to_string(t));
    }
    // Above all kinks both children are leaves; each kink passed on the way down opens a node below.
    double leaves_cost = cost[l] + cost[r];
    std::int64_t leaves = 2;
    std::int32_t top = kinks.merge(heap[l], heap[r]);
    double meeting = std::max(0.0, cost[t] - leaves_cost);
    while (top != kNone && alpha[top] >= meeting * kEqual) {
      leaves_cost -= rise[top];
      leaves += fall[top];
      meeting = std::max(0.0, (cost[t] - leaves_cost) / static_cast<double>(leaves - 1));
      const std::int32_t passed = top;
      top = kinks.without_top(top);
      alpha[passed] = std::numeric_limits<double>::infinity();
    }
    alpha[t] = meeting;
    rise[t] = cost[t] - leaves_cost;
    fall[t] = leaves - 1;
    heap[t] = kinks.merge(top, static_cast<std::int32_t>(t));
  }
}

}  // namespace surefit::trees
