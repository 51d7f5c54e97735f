// Values to bin numbers: x is in bin #{thresholds < x}; a missing value has a bin of its own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit::bins {

constexpr std::uint8_t kMissing = 255;

// Thresholds of all columns one after the other: those of column j are starts[j] … starts[j + 1] − 1, ascending, at most
// 254. Where categorical[j] is not 0 the value is a code and is its own bin; what is not in 0 … 254 is missing.
struct Thresholds {
  const double* values;
  const std::int64_t* starts;
  const std::uint8_t* categorical;
  std::size_t d;
};

// out[i * d + j] = bin of x[i * row_stride + j * column_stride]
template <class T>
void transform(const T* x, std::size_t n, std::ptrdiff_t row_stride, std::ptrdiff_t column_stride,
               const Thresholds& thresholds, int n_threads, std::uint8_t* out);

}  // namespace surefit::bins
