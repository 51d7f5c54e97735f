#include "dbscan_tree.hpp"

#include <limits>
#include <numeric>

namespace surefit::dbscan {
namespace {

constexpr std::size_t kLeafRows = 64;

}  // namespace

template <class T>
void Tree::sort(const DenseRows<T>& x, double scale, Groups& groups) {
  const std::size_t n = x.n, d = x.d;
  groups.row.resize(n);
  std::iota(groups.row.begin(), groups.row.end(), Position{0});
  groups.start.assign(1, 0);
  node_.clear();
  box_.clear();

  // Node and box of the positions first … last−1, appended; its parent knows it by its number.
  const auto grow = [&](auto&& self, std::size_t first, std::size_t last) -> std::uint32_t {
    const auto at = static_cast<std::uint32_t>(node_.size());
    node_.push_back({static_cast<Position>(groups.size()), 0});
    box_.resize(box_.size() + 2 * d);
    double* low = box_.data() + 2 * d * at;
    double* high = low + d;
    std::fill(low, high, std::numeric_limits<double>::infinity());
    std::fill(high, high + d, -std::numeric_limits<double>::infinity());
    for (std::size_t p = first; p < last; ++p) {
      const T* from = x.x + std::size_t{groups.row[p]} * d;
      for (std::size_t j = 0; j < d; ++j) {
        const double v = static_cast<double>(from[j]) * scale;
        low[j] = v < low[j] ? v : low[j];
        high[j] = v > high[j] ? v : high[j];
      }
    }
    if (last - first <= kLeafRows || farthest(groups.norm, d, low, high, low, high) <= groups.limit) {
      groups.start.push_back(static_cast<Position>(last));
      node_[at].last = static_cast<Position>(groups.size());
      return at;
    }
    std::size_t widest = 0;
    for (std::size_t j = 1; j < d; ++j) {
      if (high[j] - low[j] > high[widest] - low[widest]) widest = j;
    }
    const std::size_t middle = first + (last - first) / 2;
    const auto less = [&](Position a, Position b) {
      const T left = x.x[std::size_t{a} * d + widest], right = x.x[std::size_t{b} * d + widest];
      return left < right || (left == right && a < b);  // by row among equals: the same tree on every machine
    };
    const auto begin = groups.row.begin();
    std::nth_element(begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(middle),
                     begin + static_cast<std::ptrdiff_t>(last), less);
    const std::uint32_t left = self(self, first, middle);
    const std::uint32_t right = self(self, middle, last);
    node_[at].left = left;
    node_[at].right = right;
    node_[at].last = static_cast<Position>(groups.size());
    return at;
  };
  if (n > 0) grow(grow, 0, n);
}

template void Tree::sort(const DenseRows<float>&, double, Groups&);
template void Tree::sort(const DenseRows<double>&, double, Groups&);

}  // namespace surefit::dbscan
