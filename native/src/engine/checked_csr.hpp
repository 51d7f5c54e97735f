// Compressed rows that came from outside.
#pragma once

#include <limits>

#include "surefit/rows.hpp"

namespace surefit {

// Throws std::invalid_argument, naming the row, unless indptr rises from 0 to at most n_stored (the length of data and
// of indices) and every column number is in 0 … d-1.
template <class T, class Index>
CsrRows<T, Index> checked_csr(const T* data, const Index* indices, const Index* indptr, std::size_t n_stored,
                              std::size_t n, std::size_t d);

// The same without a look at the column numbers: for loops that look at those of a few rows, with `columns_of_rows_fit`,
// just before they use them.
template <class T, class Index>
CsrRows<T, Index> checked_ends(const T* data, const Index* indices, const Index* indptr, std::size_t n_stored,
                               std::size_t n, std::size_t d);

// Throws, naming the row, where a column number is out of range.
template <class T, class Index>
void check_columns(const CsrRows<T, Index>& rows);

// No branch, and nothing but comparisons that every vector unit has.
template <class Index>
bool columns_fit(const Index* indices, std::size_t count, std::size_t d) {
  constexpr Index most = std::numeric_limits<Index>::max();
  const Index last = d > static_cast<std::size_t>(most) ? most : static_cast<Index>(d) - 1;
  Index signs = 0, beyond = 0;
  for (std::size_t e = 0; e < count; ++e) {
    signs |= indices[e];
    beyond |= indices[e] > last ? Index(-1) : Index(0);
  }
  return signs >= 0 && beyond == 0;
}

// Of rows first … last-1.
template <class T, class Index>
bool columns_of_rows_fit(const CsrRows<T, Index>& rows, std::size_t first, std::size_t last) {
  const auto begin = static_cast<std::size_t>(rows.indptr[first]), end = static_cast<std::size_t>(rows.indptr[last]);
  return columns_fit(rows.indices + begin, end - begin, rows.d);
}

}  // namespace surefit
