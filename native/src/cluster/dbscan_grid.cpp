#include "dbscan_grid.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "surefit/parallel.hpp"

namespace surefit::dbscan {
namespace {

constexpr double kMargin = 1.0 / 1024;
constexpr double kMostCells = 1099511627776.0;  // 2^40 to a side
constexpr std::size_t kMostOffsets = 130;
constexpr std::size_t kRowsPerTask = 16384;

double norm_of_ones(std::size_t d, Norm norm) {
  const auto width = static_cast<double>(d);
  return norm == Norm::euclidean ? std::sqrt(width) : norm == Norm::manhattan ? width : 1.0;
}

// eps with the side of a cell as unit.
double reach_of(CellSize size, std::size_t d, Norm norm) {
  return size == CellSize::small ? norm_of_ones(d, norm) / (1 - kMargin) : 1 / (1 + 2 * kMargin);
}

// How far two cells of neighbors can be from each other in one coordinate.
int most_cells_between(double reach) { return static_cast<int>(std::floor(reach + 1 + kMargin)); }

// Offsets of `columns` coordinates, in the order of their keys, with the sum of the formula over them (sides of a cell
// as unit, each shortened by one cell and the margin).
struct Offset {
  std::vector<int> of;
  double sum;
};

std::vector<Offset> all_offsets(std::size_t columns, Norm norm, double reach) {
  const double limit = limit_of(norm, reach) * (1 + 1e-9);
  std::vector<Offset> found{{{}, 0.0}};
  const int most = most_cells_between(reach);
  for (std::size_t j = 0; j < columns; ++j) {
    std::vector<Offset> longer;
    for (const Offset& one : found) {
      for (int o = -most; o <= most; ++o) {
        const double sum = plus(norm, one.sum, std::max(0.0, std::abs(o) - 1 - kMargin));
        if (sum > limit) continue;
        longer.push_back(one);
        longer.back().of.push_back(o);
        longer.back().sum = sum;
      }
    }
    found = std::move(longer);
  }
  return found;
}

struct Keyed {
  std::uint64_t key;
  Position row;
};

// Stable, eleven bits at a time.
void radix_sort(std::vector<Keyed>& items, int bits) {
  constexpr int kBits = 11;
  constexpr std::size_t kDigits = std::size_t{1} << kBits;
  std::vector<Keyed> other(items.size());
  for (int shift = 0; shift < bits; shift += kBits) {
    std::array<std::size_t, kDigits> place{};
    for (const Keyed& one : items) ++place[(one.key >> shift) & (kDigits - 1)];
    std::exclusive_scan(place.begin(), place.end(), place.begin(), std::size_t{0});
    for (const Keyed& one : items) other[place[(one.key >> shift) & (kDigits - 1)]++] = one;
    items.swap(other);
  }
}

}  // namespace

bool Grid::suits(std::size_t d, Norm norm) {
  if (d == 0 || d > 6) return false;
  const auto most = static_cast<double>(2 * most_cells_between(reach_of(CellSize::small, d, norm)) + 1);
  return std::pow(most, static_cast<double>(d - 1)) <= kMostOffsets;
}

template <class T>
bool Grid::sort(const DenseRows<T>& x, CellSize size, double scale, double eps, int n_threads, Groups& groups) {
  const std::size_t n = x.n, d = x.d;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> low(d, kInfinity), high(d, -kInfinity);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      const double v = static_cast<double>(x.x[i * d + j]);
      low[j] = v < low[j] ? v : low[j];
      high[j] = v > high[j] ? v : high[j];
    }
  }
  const double reach = reach_of(size, d, groups.norm);
  const double side = eps * scale / reach;
  const int margin = most_cells_between(reach);  // empty cells around the data: no offset leaves its field
  std::vector<int> shift(d);
  int bits = 0;
  for (std::size_t j = d; j-- > 0;) {
    low[j] *= scale;
    const double cells = (high[j] * scale - low[j]) / side;
    if (!(cells < kMostCells)) return false;
    shift[j] = bits;
    bits += std::bit_width(static_cast<std::uint64_t>(cells) + 2 * static_cast<std::uint64_t>(margin) + 1);
  }
  if (bits > 63) return false;
  std::vector<Keyed> items(n);
  parallel_for((n + kRowsPerTask - 1) / kRowsPerTask, n_threads, [&](std::size_t task, int) {
    for (std::size_t i = task * kRowsPerTask; i < std::min(n, (task + 1) * kRowsPerTask); ++i) {
      std::uint64_t key = 0;
      for (std::size_t j = 0; j < d; ++j) {
        const auto cell = static_cast<std::uint64_t>((static_cast<double>(x.x[i * d + j]) * scale - low[j]) / side);
        key += (cell + static_cast<std::uint64_t>(margin)) << shift[j];
      }
      items[i] = {key, static_cast<Position>(i)};
    }
  });
  radix_sort(items, bits);
  groups.row.resize(n);
  groups.start.clear();
  key_.clear();
  for (std::size_t p = 0; p < n; ++p) {
    groups.row[p] = items[p].row;
    if (p == 0 || items[p].key != key_.back()) {
      key_.push_back(items[p].key);
      groups.start.push_back(static_cast<Position>(p));
    }
  }
  groups.start.push_back(static_cast<Position>(n));
  choose_offsets(d, groups.norm, reach, shift);
  return true;
}

void Grid::choose_offsets(std::size_t d, Norm norm, double reach, const std::vector<int>& shift) {
  const double limit = limit_of(norm, reach) * (1 + 1e-9);
  offset_.clear();
  width_.clear();
  for (const Offset& one : all_offsets(d - 1, norm, reach)) {
    std::uint64_t key = 0;  // differences wrap around, and the sum with a key is right again
    for (std::size_t j = 0; j + 1 < d; ++j) key += static_cast<std::uint64_t>(std::int64_t{one.of[j]}) << shift[j];
    int width = 0;
    while (width < most_cells_between(reach) && plus(norm, one.sum, std::max(0.0, width - kMargin)) <= limit) ++width;
    if (static_cast<std::int64_t>(key) < 0) first_later_ = offset_.size() + 1;
    offset_.push_back(key);
    width_.push_back(static_cast<std::uint64_t>(width));
  }
}

Grid Grid::with_cells(const std::vector<Position>& kept) const {
  Grid other(*this);
  other.key_.resize(kept.size());
  for (std::size_t c = 0; c < kept.size(); ++c) other.key_[c] = key_[kept[c]];
  return other;
}

void Grid::seek(std::uint64_t key, Runs& runs) const {
  const bool forward = !runs.empty && runs.key <= key;
  if (!forward) runs.at.assign(offset_.size(), 0);
  for (std::size_t o = 0; o < offset_.size(); ++o) {
    const std::uint64_t first = key + offset_[o] - width_[o];
    if (!forward) {
      runs.at[o] = static_cast<Position>(std::lower_bound(key_.begin(), key_.end(), first) - key_.begin());
    }
    Position& at = runs.at[o];
    while (at < key_.size() && key_[at] < first) ++at;
  }
  runs.key = key;
  runs.empty = false;
}

template bool Grid::sort(const DenseRows<float>&, CellSize, double, double, int, Groups&);
template bool Grid::sort(const DenseRows<double>&, CellSize, double, double, int, Groups&);

}  // namespace surefit::dbscan
