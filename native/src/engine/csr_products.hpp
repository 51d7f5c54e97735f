// Products of CSR rows with a few vectors, both ways.
#pragma once

#include <cstddef>

namespace surefit {

// indptr rises from 0 to the number of entries; indices below n_inner are checked while they are read.
template <class T, class Index>
struct Compressed {
  const T* data;
  const Index* indices;
  const Index* indptr;
  std::size_t n_outer, n_inner;
};

// scores[i·m + k] = b[k] + Σ_j x_ij w[j·m + k] for rows i. `w`: n_inner × m.
template <class T, class Index>
void csr_scores(const Compressed<T, Index>& rows, const double* w, const double* b, std::size_t m, int n_threads,
                double* scores);

// sums[k·d + j] = Σ_i r[k·n + i] x_ij for columns j, every sum in the fixed tree over leaves of `leaf_rows` rows.
// `columns`: the same rows by columns (CSC), entries of a column in the order of the rows.
template <class T, class Index>
void csc_sums(const Compressed<T, Index>& columns, const double* r, std::size_t m, std::size_t leaf_rows,
              int n_threads, double* sums);

}  // namespace surefit
