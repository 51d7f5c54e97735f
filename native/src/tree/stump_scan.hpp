// The scan of sorted columns for two or a few classes: the least impurity of their splits, in vectors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "surefit/simd.hpp"

namespace surefit::stumps {

struct Found {
  double least;       // the least impurity, infinite if no threshold fits anywhere
  std::size_t place;  // the first place with an impurity ≤ `enough`, where the scan ends; n if there is none
};

constexpr std::size_t kTogether = 4;  // columns scanned side by side: each of their sums waits for its last addition

constexpr std::size_t kFewClasses = 8;

// in: signed_w, the weight of each row, negative for class 0; T, E: the sums of |signed_w| and of signed_w.
struct ScanTable {
  Found (*two_classes)(const std::int32_t* order, std::size_t n, const double* signed_w, double T, double E,
                       double enough);
  // The least impurity of kTogether columns, which stand one after the other.
  void (*least_of_columns)(const std::int32_t* order, std::size_t n, const double* signed_w, double T, double E,
                           double* least);
  // Classes 3 … kFewClasses: codes and weights of the rows, and the weight of each class (the rest of `totals` is zero).
  Found (*few_classes)(const std::int32_t* order, std::size_t n, const std::int32_t* codes, const double* w,
                       const double* totals, double T, double enough);
};

}  // namespace surefit::stumps

SUREFIT_TABLES(surefit::stumps::ScanTable, stump_scan)
