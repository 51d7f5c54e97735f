// One visit of a window of rows by the perceptrons of several classes, each by itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "perceptron_visit.hpp"

namespace surefit::perceptron {

// Perceptrons of `n_planes` of the rows of coef. `planes[i]` is the row, and the class whose rows are on its positive
// side is codes[i]. coef, intercept, paid, due are changed in place; objective[i] gets Σ ω (loss + penalty), which is
// NaN or infinite where a coefficient is.
struct Models {
  double* coef;       // all classes × d
  double* intercept;  // all classes
  double* paid;       // all classes × d, or null without L1
  double* due;        // all classes, or null without L1
  const std::int64_t* planes;
  const double* codes;
  const double* positive;
  const double* negative;
  double* objective;
  std::size_t n_planes;
};

template <Rows X>
void window(const X& rows, const Order& order, const Rule& rule, const Models& models, int n_threads);

}  // namespace surefit::perceptron
