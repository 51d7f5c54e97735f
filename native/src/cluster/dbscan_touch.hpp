// Is any core row of one group near any core row of another?
//
// Few pairs are tried one by one. Many are halved: the larger set is cut at the median of its widest column, pairs of
// sets whose boxes are too far from each other are dropped, and a pair whose farthest corners are near answers at once.
#pragma once

#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "dbscan_groups.hpp"

namespace surefit::dbscan {

class Touch {
 public:
  Touch(const Groups& groups, const Near& near) : g_(groups), near_(near), corners_(4 * groups.d), q_(groups.d) {}

  // Among the first n_a rows of group a and the first n_b rows of group b.
  bool operator()(std::size_t a, std::size_t n_a, std::size_t b, std::size_t n_b) {
    if (n_a > n_b) return (*this)(b, n_b, a, n_a);
    if (n_a * n_b <= kFewPairs) {
      for (std::size_t k = 0; k < n_a; ++k) {
        point(a, k, q_.data());
        if (nearest(g_.norm, g_.d, q_.data(), q_.data(), g_.low(b), g_.high(b)) > g_.limit) continue;
        if (near_.next(g_.block(b), 0, n_b, q_.data(), g_.d, g_.limit) < n_b) return true;
      }
      return false;
    }
    rows_a_.resize(n_a);
    rows_b_.resize(n_b);
    std::iota(rows_a_.begin(), rows_a_.end(), Position{0});
    std::iota(rows_b_.begin(), rows_b_.end(), Position{0});
    return halve({a, rows_a_}, {b, rows_b_});
  }

 private:
  static constexpr std::size_t kFewPairs = 4096;

  struct Set {
    std::size_t group;
    std::span<Position> rows;
  };

  void point(std::size_t group, std::size_t k, double* q) const {
    const Block b = g_.block(group);
    for (std::size_t j = 0; j < g_.d; ++j) q[j] = b.x[j * b.stride + k];
  }

  void measure(const Set& s, double* low) const {
    const Block b = g_.block(s.group);
    for (std::size_t j = 0; j < g_.d; ++j) {
      double least = std::numeric_limits<double>::infinity(), most = -least;
      for (const Position k : s.rows) {
        const double v = b.x[j * b.stride + k];
        least = v < least ? v : least;
        most = v > most ? v : most;
      }
      low[j] = least;
      low[g_.d + j] = most;
    }
  }

  bool halve(Set a, Set b) {
    if (a.rows.size() < b.rows.size()) std::swap(a, b);
    double* box_a = corners_.data();
    double* box_b = box_a + 2 * g_.d;
    measure(a, box_a);
    measure(b, box_b);
    const std::size_t d = g_.d;
    if (nearest(g_.norm, d, box_a, box_a + d, box_b, box_b + d) > g_.limit) return false;
    if (farthest(g_.norm, d, box_a, box_a + d, box_b, box_b + d) <= g_.limit) return true;
    if (a.rows.size() * b.rows.size() <= kFewPairs) return any_pair(a, b);
    std::size_t widest = 0;
    for (std::size_t j = 1; j < d; ++j) {
      if (box_a[d + j] - box_a[j] > box_a[d + widest] - box_a[widest]) widest = j;
    }
    const double* x = g_.block(a.group).x + widest * g_.block(a.group).stride;
    const std::size_t middle = a.rows.size() / 2;
    std::nth_element(a.rows.begin(), a.rows.begin() + static_cast<std::ptrdiff_t>(middle), a.rows.end(),
                     [x](Position k, Position l) { return x[k] < x[l] || (x[k] == x[l] && k < l); });
    Set lower{a.group, a.rows.first(middle)}, upper{a.group, a.rows.subspan(middle)};
    const bool upward = box_b[widest] + box_b[d + widest] > box_a[widest] + box_a[d + widest];
    if (upward) std::swap(lower, upper);  // the half that faces b first
    return halve(lower, b) || halve(upper, b);
  }

  bool any_pair(const Set& a, const Set& b) {
    const Block block = g_.block(b.group);
    for (const Position k : a.rows) {
      point(a.group, k, q_.data());
      for (const Position l : b.rows) {
        double sum = 0;
        for (std::size_t j = 0; j < g_.d; ++j) sum = plus(g_.norm, sum, block.x[j * block.stride + l] - q_[j]);
        if (sum <= g_.limit) return true;
      }
    }
    return false;
  }

  const Groups& g_;
  const Near& near_;
  std::vector<double> corners_, q_;
  std::vector<Position> rows_a_, rows_b_;
};

}  // namespace surefit::dbscan
