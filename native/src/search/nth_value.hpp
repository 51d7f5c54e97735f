// The k-th smallest of n numbers, without branches that a processor cannot foresee.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

namespace surefit::search {

// Keeps the values between two numbers of a sorted sample that should enclose rank k. Returns how many are in `kept`, and
// how many are below them; 0 kept: rank k is not among them, or they are no fewer.
inline std::pair<std::size_t, std::size_t> values_near(const double* values, std::size_t n, std::size_t k,
                                                       double* kept) {
  constexpr std::size_t kSample = 512, kMargin = 48;  // four deviations of a rank in a random sample
  double sample[kSample];
  for (std::size_t i = 0; i < kSample; ++i) sample[i] = values[i * n / kSample];
  std::sort(sample, sample + kSample);
  const std::size_t rank = k * kSample / n;
  const double low = sample[rank < kMargin ? 0 : rank - kMargin];
  const double high = sample[std::min(rank + kMargin, kSample - 1)];
  std::size_t count = 0, below = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = values[i];
    kept[count] = x;
    below += x < low;
    count += static_cast<std::size_t>(x >= low) & static_cast<std::size_t>(x <= high);
  }
  if (count == n || k < below || k >= below + count) return {0, 0};
  return {count, below};
}

// 0 ≤ k < n. Both fields have n places and are used up.
inline double nth_value(double* values, std::size_t n, std::size_t k, double* other) {
  constexpr std::size_t kMany = 4096, kFew = 12;
  constexpr int kRounds = 40;  // more are needed for strange orders only
  if (n > kMany) {
    const auto [count, below] = values_near(values, n, k, other);
    if (count > 0) {
      std::swap(values, other);
      n = count;
      k -= below;
    }
  }
  for (int round = 0; round < kRounds && n > kFew; ++round) {
    const double a = values[n / 4], b = values[n / 2], c = values[n - 1 - n / 4];
    const double pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
    std::size_t low = 0, high = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double x = values[i];
      const std::size_t is_low = x < pivot;
      values[low] = x;
      other[high] = x;
      low += is_low;
      high += 1 - is_low;
    }
    if (k < low) {
      n = low;
      continue;
    }
    k -= low;
    n = high;
    std::swap(values, other);
    if (low > 0) continue;
    high = 0;  // the pivot is the smallest: its copies go
    for (std::size_t i = 0; i < n; ++i) {
      const double x = values[i];
      values[high] = x;
      high += x > pivot;
    }
    if (k < n - high) return pivot;
    k -= n - high;
    n = high;
  }
  std::nth_element(values, values + k, values + n);
  return values[k];
}

}  // namespace surefit::search
