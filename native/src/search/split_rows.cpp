#include "search/split_rows.hpp"

#include <algorithm>

#include "search/nth_value.hpp"
#include "surefit/fold.hpp"
#include "surefit/parallel.hpp"

namespace surefit::search {
namespace {

constexpr std::size_t kTaskRows = 8192;

// The smallest and the largest of n ≥ 1 numbers. Four of each run side by side.
void extremes(const double* x, std::size_t n, double& least, double& most) {
  double low[4] = {x[0], x[0], x[0], x[0]}, high[4] = {x[0], x[0], x[0], x[0]};
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    for (std::size_t l = 0; l < 4; ++l) {
      low[l] = x[i + l] < low[l] ? x[i + l] : low[l];
      high[l] = x[i + l] > high[l] ? x[i + l] : high[l];
    }
  }
  for (; i < n; ++i) {
    low[0] = x[i] < low[0] ? x[i] : low[0];
    high[0] = x[i] > high[0] ? x[i] : high[0];
  }
  least = *std::min_element(low, low + 4);
  most = *std::max_element(high, high + 4);
}

// Those that go left move to the front, the others behind them.
template <class T>
void divide(T* x, std::size_t n, const std::uint8_t* goes_left, T* space) {
  std::size_t left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const T value = x[i];
    x[left] = value;
    space[i - left] = value;
    left += goes_left[i];
  }
  std::copy_n(space, n - left, x + left);
}

}  // namespace

template <class T>
SplitRows::SplitRows(const DenseRows<T>& rows, int n_threads) : n_(rows.n), d_(rows.d) {
  columns_.reset(n_ * d_, false);
  ids_.reset(n_, false);
  parallel_for(leaves_of(n_, kTaskRows), n_threads, [&](std::size_t task, int) {
    const std::size_t lo = task * kTaskRows, hi = std::min(n_, lo + kTaskRows);
    for (std::size_t j = 0; j < d_; ++j) {
      for (std::size_t i = lo; i < hi; ++i) columns_[j * n_ + i] = static_cast<double>(rows.x[i * d_ + j]);
    }
    for (std::size_t i = lo; i < hi; ++i) ids_[i] = static_cast<std::int64_t>(i);
  });
}

std::size_t SplitRows::bound(std::size_t lo, std::size_t hi, double* low, double* high) const {
  std::size_t widest = 0;
  for (std::size_t j = 0; j < d_; ++j) {
    extremes(column(j) + lo, hi - lo, low[j], high[j]);
    if (high[j] - low[j] > high[widest] - low[widest]) widest = j;
  }
  return widest;
}

double SplitRows::split_by_rank(std::size_t lo, std::size_t hi, std::size_t half, std::size_t column,
                                SplitSpace& space) {
  const std::size_t n = hi - lo;
  const double* x = this->column(column) + lo;
  space.values.resize(std::max(space.values.size(), n));
  space.others.resize(std::max(space.others.size(), n));
  std::copy_n(x, n, space.values.data());
  const double value = nth_value(space.values.data(), n, half, space.others.data());
  std::size_t below = 0;
  for (std::size_t i = 0; i < n; ++i) below += x[i] < value;
  split_by_value(lo, hi, column, value, half - below, space);
  return value;
}

std::size_t SplitRows::split_by_value(std::size_t lo, std::size_t hi, std::size_t column, double value,
                                      std::size_t n_ties, SplitSpace& space) {
  const std::size_t n = hi - lo;
  space.values.resize(std::max(space.values.size(), n));
  space.ids.resize(std::max(space.ids.size(), n));
  space.goes_left.resize(std::max(space.goes_left.size(), n));
  const double* x = this->column(column) + lo;
  std::uint8_t* goes_left = space.goes_left.data();
  std::size_t ties = 0, left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool tie = x[i] == value;
    const bool goes = (x[i] < value) | (tie & (ties < n_ties));
    ties += tie;
    left += goes;
    goes_left[i] = goes;
  }
  for (std::size_t j = 0; j < d_; ++j) divide(columns_.data() + j * n_ + lo, n, goes_left, space.values.data());
  divide(ids_.data() + lo, n, goes_left, space.ids.data());
  return left;
}

template SplitRows::SplitRows(const DenseF32&, int);
template SplitRows::SplitRows(const DenseF64&, int);

}  // namespace surefit::search
