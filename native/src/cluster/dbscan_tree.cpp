#include "dbscan_tree.hpp"

#include <limits>
#include <numeric>

#include "surefit/parallel.hpp"

namespace surefit::dbscan {
namespace {

constexpr std::size_t kLeafRows = 64;

// Corners of the box around the rows of the positions first … last−1.
template <class T>
void measure(const DenseRows<T>& x, double scale, const Position* row, const Position* end, double* low) {
  double* high = low + x.d;
  std::fill(low, high, std::numeric_limits<double>::infinity());
  std::fill(high, high + x.d, -std::numeric_limits<double>::infinity());
  for (; row < end; ++row) {
    const T* from = x.x + std::size_t{*row} * x.d;
    for (std::size_t j = 0; j < x.d; ++j) {
      const double v = static_cast<double>(from[j]) * scale;
      low[j] = v < low[j] ? v : low[j];
      high[j] = v > high[j] ? v : high[j];
    }
  }
}

// Half of the rows below the median of the widest column, half above.
template <class T>
void cut(const DenseRows<T>& x, const double* low, Position* row, Position* end) {
  const double* high = low + x.d;
  std::size_t widest = 0;
  for (std::size_t j = 1; j < x.d; ++j) {
    if (high[j] - low[j] > high[widest] - low[widest]) widest = j;
  }
  std::nth_element(row, row + (end - row) / 2, end, [&](Position a, Position b) {
    const T left = x.x[std::size_t{a} * x.d + widest], right = x.x[std::size_t{b} * x.d + widest];
    return left < right || (left == right && a < b);
  });
}

}  // namespace

// Level by level: the nodes of a level do not depend on each other.
template <class T>
void Tree::sort(const DenseRows<T>& x, double scale, int n_threads, Groups& groups) {
  const std::size_t d = x.d;
  groups.row.resize(x.n);
  std::iota(groups.row.begin(), groups.row.end(), Position{0});
  std::vector<Range> range{{0, static_cast<Position>(x.n)}};
  node_.assign(1, {});
  for (std::size_t done = 0; done < node_.size();) {
    const std::size_t level = done, n_nodes = node_.size() - done;
    box_.resize(2 * d * node_.size());
    std::vector<std::uint8_t> is_cut(n_nodes);
    parallel_for(n_nodes, n_threads, [&](std::size_t task, int) {
      const Range r = range[level + task];
      Position* row = groups.row.data();
      double* low = box_.data() + 2 * d * (level + task);
      measure(x, scale, row + r.first, row + r.last, low);
      if (r.last - r.first <= kLeafRows || farthest(groups.norm, d, low, low + d, low, low + d) <= groups.limit) return;
      cut(x, low, row + r.first, row + r.last);
      is_cut[task] = 1;
    });
    for (std::size_t task = 0; task < n_nodes; ++task, ++done) {
      if (!is_cut[task]) continue;
      const Range r = range[done];
      const Position middle = r.first + (r.last - r.first) / 2;
      node_[done].left = static_cast<std::uint32_t>(node_.size());
      node_[done].right = node_[done].left + 1;
      node_.resize(node_.size() + 2);
      range.push_back({r.first, middle});
      range.push_back({middle, r.last});
    }
  }
  number_groups(range, groups);
}

// Groups in the order of their positions; those below a node are consecutive.
void Tree::number_groups(const std::vector<Range>& range, Groups& groups) {
  groups.start.assign(1, 0);
  std::vector<std::uint32_t> stack{0};
  while (!stack.empty()) {
    const std::uint32_t at = stack.back();
    stack.pop_back();
    Node& node = node_[at];
    node.first = static_cast<Position>(groups.size());
    if (node.left == 0) {
      groups.start.push_back(range[at].last);
    } else {
      stack.push_back(node.right);
      stack.push_back(node.left);
    }
  }
  for (std::size_t i = node_.size(); i-- > 0;) {  // children come after their parent
    node_[i].last = node_[i].left == 0 ? node_[i].first + 1 : node_[node_[i].right].last;
  }
}

template void Tree::sort(const DenseRows<float>&, double, int, Groups&);
template void Tree::sort(const DenseRows<double>&, double, int, Groups&);

}  // namespace surefit::dbscan
