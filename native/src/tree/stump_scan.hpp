// The scan of one sorted column for two classes: the least impurity of its splits, in vectors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "surefit/simd.hpp"

namespace surefit::stumps {

struct Found {
  double least;       // the least impurity, infinite if no threshold fits anywhere
  std::size_t place;  // the first place with an impurity ≤ `enough`, where the scan ends; n if there is none
};

// in: signed_w, the weight of each row, negative for class 0; T, E: the sums of |signed_w| and of signed_w.
struct ScanTable {
  Found (*two_classes)(const std::int32_t* order, std::size_t n, const double* signed_w, double T, double E,
                       double enough);
};

}  // namespace surefit::stumps

SUREFIT_TABLES(surefit::stumps::ScanTable, stump_scan)
