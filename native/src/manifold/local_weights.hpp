// Weights with which a row is rebuilt from its neighbors: for each row q with neighbors x_1 ... x_k
//
//   minimize  |q - sum_a w_a x_a|^2 + R |w|^2     over  sum_a w_a = 1,     R = reg tr(C C^T), or reg where that is zero
//
// C has the rows x_a - q. The solution is  (C C^T + R)^-1 1, divided by its sum.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit::local_weights {

struct Problem {
  const double* queries;        // m rows of d
  const double* rows;           // rows of d
  std::size_t m, d;
  const std::int64_t* indptr;   // neighbors of query i: indices[indptr[i]] ... indices[indptr[i+1]-1]
  const std::int64_t* indices;
  double reg;
};

// w: a number for each neighbor. Returns the lowest query whose matrix is not positive definite; m if there is none.
std::size_t solve(const Problem& problem, int n_threads, double* w);

}  // namespace surefit::local_weights
