// Every distance of the rows of A to the rows of B, by the one formula.
#pragma once

#include "search/form.hpp"
#include "surefit/rows.hpp"

namespace surefit::search {

// out: (a.n, b.n), row-major.
template <class T, class U>
void pairwise(const DenseRows<T>& a, const DenseRows<U>& b, const Form& form, int n_threads, double* out);

}  // namespace surefit::search
