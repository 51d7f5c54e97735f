// Crammer and Singer's support vector machine for k classes, by dual coordinate descent over rows (Keerthi, Sundararajan,
// Chang, Hsieh and Lin, 2008):
//
//   min over A of  ½ Σ_m ‖Σ_i A_im x̃_i‖² + Σ_i Σ_{m ≠ y_i} A_im ,    A_im ≤ c_i [m = y_i] ,    Σ_m A_im = 0
//
// with x̃ = (x, s). W = Σ A_i ⊗ x̃_i is kept along with A. The primal problem is
//
//   min over W of  ½ ‖W‖² + Σ_i c_i max_m ([m ≠ y_i] + x̃_i·W_m − x̃_i·W_{y_i}) .
#pragma once

#include <cstddef>
#include <cstdint>

#include "surefit/rows.hpp"

namespace surefit::crammer_singer {

template <class X>
struct Problem {
  X rows;
  const std::int32_t* classes;
  std::size_t n_classes;
  const double* cost;
  double scale;  // s; zero without an intercept
};

// `epochs` visits of every row, the order given by (number of the epoch); A: n × k, W: (d + 1) × k, the intercepts last.
// Returns the largest breach of a row's conditions of a minimum that the last epoch met.
template <class X>
double descend(const Problem<X>& problem, double tol, std::size_t epochs, std::uint64_t number, double* A, double* W);

}  // namespace surefit::crammer_singer
