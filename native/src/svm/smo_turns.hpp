// The solver of small support vector machines in one call. Steps of two variables and the equations of the variables
// that no bound holds take turns, until the duality gap is nothing but rounding or the turns are over.
//
//     min over β of  D(β) = ½ βᵀKβ + q·β ,     Σ β = 0 ,   low ≤ β ≤ high ,      F = Kβ + q ,
//
//     P(b) + D(β) = Σ (β_i − low_i) max(0, F_i + b) + (high_i − β_i) max(0, −F_i − b)
//
// is the gap for a bias b: convex and piecewise linear in b, least at a quantile of −F with weights high − low. With f
// the free places the minimum over them is  K_ff δ + c 1 = −F_f ,  1·δ = 0 , by Cholesky's factor of K_ff; where an entry
// would cross its bound on the way, the move ends there, the entry stays, and the rest is solved again.
#pragma once

#include <cstddef>

namespace surefit::smo {

struct Square {
  const double* K;  // m × m, row by row
  const double* q;
  const double* low;
  const double* high;
  std::size_t m;
};

struct Gap {
  double bias;
  double value;  // D
  double gap;    // P + D
};

// When to stop: a turn's steps at a violation that is this share of the first one, then of the last turn's.
struct Ends {
  double first_share, next_share;
  std::size_t most;  // steps of all turns
  double rel_gap;
};

struct Turn {
  std::size_t steps;  // of all turns
  Gap gap;
};

// From β = 0. The free entries go to their minimum where these are at most kMostFree, K_ff has a factor and the gap is
// smaller for it.
constexpr std::size_t kMostFree = 96;
Turn turns(const Square& problem, const Ends& ends, double* beta, double* F);

Gap duality_gap(const Square& problem, const double* beta, const double* F);

}  // namespace surefit::smo
