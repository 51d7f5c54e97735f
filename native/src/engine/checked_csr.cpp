#include "checked_csr.hpp"

#include <algorithm>
#include <limits>
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

}  // namespace

template <class T, class Index>
CsrRows<T, Index> checked_csr(const T* data, const Index* indices, const Index* indptr, std::size_t n_stored,
                              std::size_t n, std::size_t d) {
  check_indptr(indptr, n, n_stored);
  const CsrRows<T, Index> rows{data, indices, indptr, n, d};
  if (columns_fit(indices, rows.entries(), d)) return rows;
  for (std::size_t i = 0; i < n; ++i) {
    for (auto e = static_cast<std::size_t>(indptr[i]); e < static_cast<std::size_t>(indptr[i + 1]); ++e) {
      const Index j = indices[e];
      if (j >= 0 && static_cast<std::size_t>(j) < d) continue;
      throw std::invalid_argument("CSR: column index " + std::to_string(j) + " in row " + std::to_string(i) +
                                  " is out of range; there are " + std::to_string(d) + " columns");
    }
  }
  return rows;
}

#define SUREFIT_CHECKED(T, Index)                                                                                      \
  template CsrRows<T, Index> checked_csr(const T*, const Index*, const Index*, std::size_t, std::size_t, std::size_t);
SUREFIT_CHECKED(float, std::int32_t)
SUREFIT_CHECKED(float, std::int64_t)
SUREFIT_CHECKED(double, std::int32_t)
SUREFIT_CHECKED(double, std::int64_t)

}  // namespace surefit
