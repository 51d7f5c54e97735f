#include "checked_csr.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace surefit {
namespace {

template <class Index>
void check_indptr(const Index* indptr, std::size_t n, std::size_t n_stored) {
  if (indptr[0] != 0) throw std::invalid_argument("CSR: indptr must start with 0");
  const Index* fall = std::is_sorted_until(indptr, indptr + n + 1);
  if (fall != indptr + n + 1) {
    throw std::invalid_argument("CSR: indptr must not decrease; it does after row " +
                                std::to_string(fall - indptr - 1));
  }
  if (static_cast<std::size_t>(indptr[n]) > n_stored) {
    throw std::invalid_argument("CSR: indptr ends at " + std::to_string(indptr[n]) + ", beyond the " +
                                std::to_string(n_stored) + " stored entries");
  }
}

}  // namespace

template <class T, class Index>
CsrRows<T, Index> checked_ends(const T* data, const Index* indices, const Index* indptr, std::size_t n_stored,
                               std::size_t n, std::size_t d) {
  check_indptr(indptr, n, n_stored);
  return {data, indices, indptr, n, d};
}

template <class T, class Index>
void check_columns(const CsrRows<T, Index>& rows) {
  if (columns_fit(rows.indices, rows.entries(), rows.d)) return;
  for (std::size_t i = 0; i < rows.n; ++i) {
    for (auto e = static_cast<std::size_t>(rows.indptr[i]); e < static_cast<std::size_t>(rows.indptr[i + 1]); ++e) {
      const Index j = rows.indices[e];
      if (j >= 0 && static_cast<std::size_t>(j) < rows.d) continue;
      throw std::invalid_argument("CSR: column index " + std::to_string(j) + " in row " + std::to_string(i) +
                                  " is out of range; there are " + std::to_string(rows.d) + " columns");
    }
  }
}

template <class T, class Index>
CsrRows<T, Index> checked_csr(const T* data, const Index* indices, const Index* indptr, std::size_t n_stored,
                              std::size_t n, std::size_t d) {
  const CsrRows<T, Index> rows = checked_ends(data, indices, indptr, n_stored, n, d);
  check_columns(rows);
  return rows;
}

#define SUREFIT_CHECKED(T, Index)                                                                                      \
  template CsrRows<T, Index> checked_csr(const T*, const Index*, const Index*, std::size_t, std::size_t, std::size_t); \
  template CsrRows<T, Index> checked_ends(const T*, const Index*, const Index*, std::size_t, std::size_t,              \
                                          std::size_t);                                                                \
  template void check_columns(const CsrRows<T, Index>&);
SUREFIT_CHECKED(float, std::int32_t)
SUREFIT_CHECKED(float, std::int64_t)
SUREFIT_CHECKED(double, std::int32_t)
SUREFIT_CHECKED(double, std::int64_t)

}  // namespace surefit
