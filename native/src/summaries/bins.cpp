#include "bins.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "surefit/fold.hpp"

namespace surefit::bins {
namespace {

constexpr std::size_t kRows = 1024;   // a block of them stays in the cache while its columns are worked on
constexpr std::size_t kPadded = 256;

// #{t < x} of 256 numbers, ascending and filled up with +∞, without a branch.
template <class T>
std::uint8_t bin_of(const double* t, T value) {
  const double x = static_cast<double>(value);
  std::size_t at = 0;
  for (std::size_t step = kPadded / 2; step > 0; step /= 2) at += t[at + step - 1] < x ? step : 0;
  return x != x ? kMissing : static_cast<std::uint8_t>(at);
}

template <class T>
std::uint8_t code_of(T value) {
  return value >= 0 && value < T{kMissing} ? static_cast<std::uint8_t>(value) : kMissing;
}

}  // namespace

template <class T>
void transform(const T* x, std::size_t n, std::ptrdiff_t row_stride, std::ptrdiff_t column_stride,
               const Thresholds& thresholds, int n_threads, std::uint8_t* out) {
  const std::size_t d = thresholds.d;
  std::vector<double> padded(d * kPadded, std::numeric_limits<double>::infinity());
  for (std::size_t j = 0; j < d; ++j) {
    std::copy(thresholds.values + thresholds.starts[j], thresholds.values + thresholds.starts[j + 1],
              padded.data() + j * kPadded);
  }
  n_threads = threads_for(static_cast<double>(n) * static_cast<double>(d) * 8, n_threads);
  parallel_for(leaves_of(n, kRows), n_threads, [&](std::size_t task, int) {
    const std::size_t lo = task * kRows, hi = std::min(n, lo + kRows);
    for (std::size_t j = 0; j < d; ++j) {
      const T* column = x + static_cast<std::ptrdiff_t>(j) * column_stride;
      const double* t = padded.data() + j * kPadded;
      const bool codes = thresholds.categorical[j] != 0;
      for (std::size_t i = lo; i < hi; ++i) {
        const T value = column[static_cast<std::ptrdiff_t>(i) * row_stride];
        out[i * d + j] = codes ? code_of(value) : bin_of(t, value);
      }
    }
  });
}

template void transform(const float*, std::size_t, std::ptrdiff_t, std::ptrdiff_t, const Thresholds&, int,
                        std::uint8_t*);
template void transform(const double*, std::size_t, std::ptrdiff_t, std::ptrdiff_t, const Thresholds&, int,
                        std::uint8_t*);

}  // namespace surefit::bins
