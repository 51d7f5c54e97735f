#pragma once

#include <cstddef>

namespace surefit {

// Whether all n numbers are finite.
template <class T>
bool all_finite(const T* x, std::size_t n, int n_threads);

extern template bool all_finite<float>(const float*, std::size_t, int);
extern template bool all_finite<double>(const double*, std::size_t, int);

}  // namespace surefit
