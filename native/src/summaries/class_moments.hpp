// Weight, mean and products of deviations of rows in classes: for each class k
//   W_k = Σ w        m_k = Σ w x / W_k        and the products of deviations from the row's own class mean,
// in one matrix for all classes (pooled) or in one for each.
#pragma once

#include <cstddef>
#include <cstdint>

#include "surefit/rows.hpp"

namespace surefit::class_moments {

// Everything is filled; a class without weight has zeros.
struct Out {
  double* weights;       // n_classes
  std::int64_t* counts;  // n_classes: rows of weight above zero
  double* means;         // n_classes × d
  double* products;      // d × d, once (pooled) or for each class
};

// Rows of weight zero are not read. The bits depend on the rows and leaf_rows, not on n_threads. Throws
// std::invalid_argument for a class out of range.
template <class T>
void fold(const LabelledRows<DenseRows<T>>& rows, bool pooled, std::size_t leaf_rows, int n_threads, const Out& out);

}  // namespace surefit::class_moments
