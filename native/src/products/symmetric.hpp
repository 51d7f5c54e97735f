// C = A B for a symmetric A of which the lower triangle is read, and a B of few columns.
#pragma once

#include <cstddef>

namespace surefit::products {

// A (n, n) with rows `lda` apart; B (n, columns) with rows `ldb` apart; C (n, columns), row by row. The rows of C come
// in blocks of a fixed size, each made by one thread: the same bits on any number of them.
void multiply_symmetric(const double* a, std::size_t lda, const double* b, std::size_t ldb, double* c, std::size_t n,
                        std::size_t columns, int n_threads);

}  // namespace surefit::products
