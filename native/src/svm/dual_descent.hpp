// Dual coordinate descent for linear support vector machines (Hsieh, Chang, Lin, Keerthi and Sundararajan, 2008):
//
//   min over a of  ½ ‖Σ a_i σ_i x̃_i‖² + ½ Σ D_i a_i² − Σ a_i ,    0 ≤ a_i ≤ U_i ,      x̃ = (x, s)
//
// D = 0, U = c is the hinge loss, D = 1/(2c), U = ∞ its square. u = Σ a σ x̃ is kept along with a.
#pragma once

#include <cstddef>
#include <cstdint>

#include "surefit/rows.hpp"

namespace surefit::dual_descent {

template <class X>
struct Problem {
  X rows;
  const double *sign, *upper, *diagonal;
  double scale;  // s; zero without an intercept
};

struct Effort {
  double tol;             // ends when the slopes of the box-constrained problem lie in an interval of this length
  std::size_t epochs;     // or after so many
  std::uint64_t number;   // of the first epoch: the order of visits depends on it alone
};

struct Done {
  std::size_t epochs;
  double breach;  // length of the interval that the last epoch met
  bool all;       // whether it saw every row
};

// Changes a (n) and u (d + 1, the intercept's last).
template <class X>
Done descend(const Problem<X>& problem, const Effort& effort, double* a, double* u);

}  // namespace surefit::dual_descent
