// Compressed rows that came from outside.
#pragma once

#include "surefit/rows.hpp"

namespace surefit {

// Throws std::invalid_argument, naming the row, unless indptr rises from 0 to at most n_stored (the length of data and
// of indices) and every column number is in 0 … d-1.
template <class T, class Index>
CsrRows<T, Index> checked_csr(const T* data, const Index* indices, const Index* indptr, std::size_t n_stored,
                              std::size_t n, std::size_t d);

}  // namespace surefit
