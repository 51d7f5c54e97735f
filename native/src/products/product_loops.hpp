// The vector part of matrix products: what product_loops.cpp provides for each vector level.
#pragma once

#include <cstddef>

#include "surefit/simd.hpp"

namespace surefit::products {

inline constexpr std::size_t kDepth = 128;  // rows of B that are packed at a time

// m rows and at most panel_columns columns of C = op(A) B; A is (m, k), or where it is turned (k, m).
template <class T>
struct Part {
  const T* a;
  std::size_t lda;
  const T* b;
  std::size_t ldb;
  T* c;
  std::size_t ldc;
  std::size_t m, columns, k;
  bool turned;
  T* panel;  // kDepth × panel_columns
};

struct Loops {
  std::size_t single_columns, double_columns;
  void (*single_part)(const Part<float>&);
  void (*double_part)(const Part<double>&);
};

}  // namespace surefit::products

SUREFIT_TABLES(products::Loops, product_loops)
