// Least mean squares: Widrow and Hoff's rule on dense rows and on CSR.
#pragma once

#include "lms_loops.hpp"

namespace surefit::lms {

// Visits the rows in their order; `at` has rows of d numbers (stride d) and is changed.
template <class T>
void visit(const Visits<DenseRows<T>>& rows, State& at);
template <class T, class Index>
void visit(const Visits<CsrRows<T, Index>>& rows, State& at);

}  // namespace surefit::lms
