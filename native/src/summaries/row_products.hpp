// Products of CSR rows with a few vectors, both ways. Column numbers are looked at just before they are used (one read
// of memory for both), and std::invalid_argument is thrown where one is out of range.
#pragma once

#include <cstddef>

#include "surefit/rows.hpp"

namespace surefit::row_products {

// scores[i·m + k] = b[k] + Σ_j x_ij w[j·m + k] for rows i. `w`: d × m.
template <class T, class Index>
void scores(const CsrRows<T, Index>& rows, const double* w, const double* b, std::size_t m, int n_threads,
            double* scores);

// sums[k·d + j] = Σ_i r[k·n + i] x_ij for columns j, every sum in the fixed tree over leaves of `leaf_rows` rows.
// `columns`: the same by columns (CSC, the rows of the transpose), entries of a column in the order of the rows.
template <class T, class Index>
void column_sums(const CsrRows<T, Index>& columns, const double* r, std::size_t m, std::size_t leaf_rows,
                 int n_threads, double* sums);

// sums[j] = Σ_i w_i t and squares[j] = Σ_i w_i t² for t = scale · x_ij (w null: one), from the rows themselves: one sum of
// all columns for each leaf. The bits are those of column_sums.
template <class T, class Index>
void column_moments(const CsrRows<T, Index>& rows, const double* w, double scale, std::size_t leaf_rows, int n_threads,
                    double* sums, double* squares);

// Of z = X v − shift − c (c null: zero) under weights w (null: one): sums[j] = Σ w z x_j in one read of the rows, which
// run in kChunks parts of a fixed size that are added in a fixed tree.
struct NormalSums {
  double total;    // Σ w z
  double squares;  // Σ w z²
};
constexpr std::size_t kChunks = 16;
template <class T, class Index>
NormalSums normal_product(const CsrRows<T, Index>& rows, const double* v, double shift, const double* c, const double* w,
                          int n_threads, double* sums);

}  // namespace surefit::row_products
