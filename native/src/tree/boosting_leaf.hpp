// Slopes of the logistic loss on a run of rows, compiled for each vector level (all give the same bits).
#pragma once

#include <cstddef>

#include "surefit/simd.hpp"

namespace surefit::boosting {

struct LeafLoops {
  // For u = −z where y = 1, else z, and e = e^−|u|: gradient, second derivative, 1 + e and max(u, 0) of every row.
  void (*logistic)(const double* raw, const double* y, std::size_t n, double* gradient, double* hessian,
                   double* factor, double* linear);
};

}  // namespace surefit::boosting

SUREFIT_TABLES(boosting::LeafLoops, boosting_leaf)
