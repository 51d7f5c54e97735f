// Products of dense matrices whose bits do not depend on the number of threads: every number of C is summed by one
// thread, in the order of the columns of A.
#pragma once

#include <cstddef>

namespace surefit::products {

// C (m, n) = A (m, k) B (k, n), or Aᵀ B with A (k, m) where it is `turned`; all row by row.
template <class T>
void multiply(const T* a, const T* b, T* c, std::size_t m, std::size_t n, std::size_t k, bool turned, int n_threads);

}  // namespace surefit::products
