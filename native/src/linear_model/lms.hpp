// Least mean squares: Widrow and Hoff's rule on dense rows and on CSR.
#pragma once

#include <cstddef>

#include "lms_loops.hpp"

namespace surefit {

// Visits the rows in their order; `at` has rows of d numbers (stride d) and is changed.
template <class T>
void lms_visit(const LmsRows<T>& rows, LmsState& at);

template <class T, class Index>
struct LmsSparse {
  const T* data;
  const Index* indices;
  const Index* indptr;
  LmsRows<T> rest;  // x is not used
};

template <class T, class Index>
void lms_visit(const LmsSparse<T, Index>& rows, LmsState& at);

}  // namespace surefit
