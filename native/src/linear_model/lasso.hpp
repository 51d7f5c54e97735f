// Coordinate descent on a quadratic function with an L1 penalty.
#pragma once

#include <cstddef>

namespace surefit::lasso {

// q(z) = ½ zᵀHz − a·z + Σ tⱼ|zⱼ| with the gradient r = Hz − a of its smooth part; H is symmetric, p × p, row by row, with
// a positive diagonal. z and r are changed in place. Ends after `most` sweeps, or after `quiet` in a row in which no
// entry became zero, left zero or changed its sign. Returns the number of sweeps.
std::size_t sweeps(const double* H, double* r, double* z, const double* t, std::size_t p, std::size_t most,
                         std::size_t quiet);

}  // namespace surefit::lasso
