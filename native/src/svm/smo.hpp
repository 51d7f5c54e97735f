// Sequential minimal optimization on a dense symmetric matrix: what smo.cpp provides for each vector level.
//
//     min over β of  ½ βᵀKβ + q·β ,    Σ β unchanged,   low ≤ β ≤ high ,         with the gradient F = Kβ + q .
//
// A step moves two entries against each other, β_i + t and β_j − t, and lowers the value by δ²/(2η) with
//
//     δ = F_j − F_i > 0 ,     η = K_ii + K_jj − 2 K_ij ,     t = δ/η   (less where a bound is in the way).
//
// i is the entry that may grow with the smallest gradient; j the one that may fall with the largest δ²/η (the
// second-order choice of Fan, Chen and Lin, 2005). An η that rounding or an indefinite K has made zero or negative counts
// as a tiny one: the step ends at a bound, and the value falls all the same.
#pragma once

#include <cstddef>

#include "surefit/simd.hpp"

namespace surefit::smo {

template <class T>
struct Problem {
  const T* K;              // m × m, row by row
  const double* diagonal;  // of K
  const double* low;
  const double* high;
  double* beta;            // changed in place, as is F
  double* F;
  double* up;              // work of m numbers each
  double* down;
  std::size_t m;
};

struct Outcome {
  std::size_t steps;
  double violation;        // max F_j over what may fall − min F_i over what may grow; at most `eps` if it got there
};

// Rows of a matrix that lie anywhere, each with its factor.
template <class T>
struct Combination {
  const T* const* rows;
  const double* factors;
  std::size_t count;
};

// descend: at most `most` steps; ends earlier where the violation is at most eps.
// add: F[k] += Σ factor row[k] for first ≤ k < end.
struct Loops {
  Outcome (*single)(const Problem<float>&, double eps, std::size_t most);
  Outcome (*twice)(const Problem<double>&, double eps, std::size_t most);
  void (*add_single)(const Combination<float>&, std::size_t first, std::size_t end, double* F);
  void (*add_twice)(const Combination<double>&, std::size_t first, std::size_t end, double* F);
};

}  // namespace surefit::smo

SUREFIT_TABLES(smo::Loops, smo_loops)
