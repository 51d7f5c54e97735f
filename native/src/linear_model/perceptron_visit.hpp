// One visit of rows by one perceptron: what perceptron_visit.cpp provides for each vector level.
#pragma once

#include <cstddef>
#include <cstdint>

#include "surefit/rows.hpp"

namespace surefit::perceptron {

struct Rule {
  double eta;        // size of a unit update
  double l2, l1;     // shares of alpha: the penalty is l2/2 ‖w‖² + l1 ‖w‖₁
  bool intercept;
};

// The hyperplane of one class: w = scale · v, b. With L1, paid[j] is the signed sum of what v[j] has paid, `due` what
// each has to pay by now, both in units of v.
struct Plane {
  double* v;
  double* paid;      // null without L1
  double due, scale, b;
  double sq_norm, l1_norm;  // of w, as columns have paid so far; kept only where the penalty needs them
  double objective;  // Σ ω (loss + penalty) over the visits
  double code;       // rows of this class are on the positive side
  double positive, negative;  // class weights of the two sides: factors of an update
};

// Rows order[0 … n-1] with weights w[0 … n-1] (null: all one).
struct Order {
  const double* y;
  const double* w;
  const std::int64_t* order;
  std::size_t n;
};

template <class X>
struct Loops {
  void (*visit)(const X&, const Order&, const Rule&, Plane&);
};

// One for each kind of rows.
struct LoopsOfAll : Loops<DenseF32>,
                    Loops<DenseF64>,
                    Loops<CsrF32I32>,
                    Loops<CsrF32I64>,
                    Loops<CsrF64I32>,
                    Loops<CsrF64I64> {};

}  // namespace surefit::perceptron

SUREFIT_TABLES(perceptron::LoopsOfAll, perceptron_loops)
