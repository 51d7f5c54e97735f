// Products of dense matrices whose bits do not depend on the number of threads: every number of C is summed by one
// thread, in the order of the columns of A.
#pragma once

#include <cstddef>
#include <functional>

namespace surefit::products {

// Rows i … i + rows − 1 of columns j … j + columns − 1 of C, whose row r starts at `at` + r · stride.
template <class T>
struct Block {
  T* at;
  std::size_t stride, i, j, rows, columns;
};

// Told that a block is complete, by the thread that made it.
template <class T>
using Finish = std::function<void(const Block<T>&)>;

// C (m, n) = A (m, k) B (k, n), or Aᵀ B with A (k, m) where it is `turned`; all row by row.
template <class T>
void multiply(const T* a, const T* b, T* c, std::size_t m, std::size_t n, std::size_t k, bool turned, int n_threads,
              const Finish<T>& finish = {});

// The same, where C is nowhere as a whole: its blocks are there until `finish` returns.
template <class T>
void multiply_blocks(const T* a, const T* b, std::size_t m, std::size_t n, std::size_t k, bool turned, int n_threads,
                     const Finish<T>& finish);

}  // namespace surefit::products
