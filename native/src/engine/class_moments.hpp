// Weight, mean and products of deviations of rows in classes: for each class k
//   W_k = Σ w        m_k = Σ w x / W_k        and the products of deviations from the row's own class mean,
// in one matrix for all classes (pooled) or in one for each.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit {

// Row-major; w may be null (every row counts once). Rows of weight zero are not read.
template <class T>
struct LabelledRows {
  const T* x;
  std::size_t n_rows, n_features;
  const std::int32_t* classes;  // 0 … n_classes-1
  std::size_t n_classes;
  const double* w;
};

// Everything is filled; a class without weight has zeros.
struct ClassMomentsOut {
  double* weights;       // n_classes
  std::int64_t* counts;  // n_classes: rows of weight above zero
  double* means;         // n_classes × n_features
  double* products;      // n_features × n_features, once (pooled) or for each class
};

// The bits depend on the rows and leaf_rows, not on n_threads. Throws std::invalid_argument for a class out of range.
template <class T>
void class_moments(const LabelledRows<T>& rows, bool pooled, std::size_t leaf_rows, int n_threads,
                   const ClassMomentsOut& out);

}  // namespace surefit
