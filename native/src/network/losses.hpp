// The losses of a network by its scores z, and their slopes; y are the targets.
//
//   squared_error   ½ ‖z − y‖²
//   logistic        Σ log(1 + eᶻ) − y z
//   softmax         log Σ eᶻ − z·y
//   poisson         Σ eᶻ − y z + y log y − y
#pragma once

#include <cstddef>

namespace surefit::network {

enum class Loss { squared_error, logistic, softmax, poisson };

// In z (n, c): the slopes of the losses, times the weights of the rows. Returns Σ ω ℓ.
template <class T>
double loss_slopes(Loss loss, T* z, const T* y, const double* weights, std::size_t n, std::size_t c);

}  // namespace surefit::network
