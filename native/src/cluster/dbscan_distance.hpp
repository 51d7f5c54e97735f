// The formula of the distance, one coordinate at a time.
#pragma once

#include "dbscan.hpp"

namespace surefit::dbscan {

template <Norm norm>
SUREFIT_INLINE double plus(double sum, double t) {
  if constexpr (norm == Norm::euclidean) return sum + t * t;
  const double size = t < 0 ? -t : t;
  if constexpr (norm == Norm::manhattan) return sum + size;
  return size > sum ? size : sum;
}

SUREFIT_INLINE double plus(Norm norm, double sum, double t) {
  if (norm == Norm::euclidean) return plus<Norm::euclidean>(sum, t);
  if (norm == Norm::manhattan) return plus<Norm::manhattan>(sum, t);
  return plus<Norm::chebyshev>(sum, t);
}

// What the sum may be: eps in the power that the formula adds up.
SUREFIT_INLINE double limit_of(Norm norm, double eps) { return norm == Norm::euclidean ? eps * eps : eps; }

}  // namespace surefit::dbscan
