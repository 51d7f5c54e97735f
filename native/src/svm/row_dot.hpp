// x·v in four sums side by side: additions of one do not wait for those of the others.
#pragma once

#include <cstddef>

#include "surefit/rows.hpp"

namespace surefit {

template <class T>
inline double quick_dot(const DenseRow<T>& row, const double* v) {
  return row.dot(v, 1.0);
}

template <class T, class Index>
inline double quick_dot(const CsrRow<T, Index>& row, const double* v) {
  double sum[4] = {};
  std::size_t e = 0;
  for (; e + 4 <= row.count; e += 4) {
    for (std::size_t l = 0; l < 4; ++l) sum[l] += static_cast<double>(row.x[e + l]) * v[row.column[e + l]];
  }
  for (; e < row.count; ++e) sum[0] += static_cast<double>(row.x[e]) * v[row.column[e]];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// ‖x‖²; stored entries of one column are taken as one each.
template <class Row>
inline double square(const Row& row) {
  double sum = 0;
  row.each([&](double x, std::size_t, std::size_t) { sum += x * x; });
  return sum;
}

}  // namespace surefit
