// Sums of features under the responsibilities of a Gaussian mixture (surefit/solvers/mixture/gaussians.py).
#pragma once

#include "surefit/rows.hpp"

namespace surefit::mixture {

// With z = (x − shift)·scale, the features φ(z) = (z_i z_j for i ≤ j if `full`, else z_i²; z; 1) and
// log π_k N = φ·coef_k: sums = (Σ ω r φᵀ (K × features), Σ ω log p, Σ ω). `w` may be null.
template <class T>
void feature_sums(const DenseRows<T>& x, const double* w, const double* shift, const double* scale, const double* coef,
                  std::size_t n_components, bool full, std::size_t leaf_rows, int n_threads, double* sums);

inline std::size_t features_of(std::size_t d, bool full) { return (full ? d * (d + 1) / 2 : d) + d + 1; }

}  // namespace surefit::mixture
