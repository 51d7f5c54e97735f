// Widrow and Hoff's rule: what dense rows and CSR share, and what lms_loops.cpp provides for each vector level.
//
// With x~ = (x - center) scale, row by row
//
//   r = y - target - u . x~ - b        u += delta x~        b += delta        delta = step(r, eta, q, weight)
//
// The mean of the iterates is not summed iterate by iterate: an update made when the share c of the pass (this update
// with it) is still to come is in that share of the iterates, so  average += c delta x~ .
#pragma once

#include <math.h>

#include <cstddef>
#include <cstdint>

#include "surefit/rows.hpp"

namespace surefit::lms {

// eta = eta0 (1 + t / period)^-power at update t; `capped`: never more than 1/q, which puts the row right.
struct Rate {
  double eta0, power, period;
  bool capped;
};

SUREFIT_INLINE double eta_at(const Rate& rate, double t) {
  return rate.power == 0 ? rate.eta0 : rate.eta0 * pow(1 + t / rate.period, -rate.power);
}

// What `weight` updates in a row add to the intercept, and times x~ to the coefficients; q = |x~|^2 (+ 1). One update
// leaves r (1 - eta q) of the residual r, `weight` of them r (1 - eta q)^weight: together r (1 - (1 - eta q)^weight) / q.
SUREFIT_INLINE double step(double r, double eta, double q, double weight, bool capped) {
  if (capped && eta * q >= 1) return r / q;
  if (weight == 1 || q == 0 || eta * q > 1) return weight * eta * r;
  return -r * expm1(weight * log1p(-eta * q)) / q;
}

// Where descent stands: k targets, d columns. `average` holds the mean of the iterates of this pass, once it is done.
struct State {
  double* coef;       // k x stride
  double* intercept;  // k
  double* average;    // k x stride
  double* average_b;  // k
  double clock;       // weight of all updates so far
  double done;        // weight of the updates of this pass so far
};

template <class X>
struct Visits {
  X x;
  const double* y;             // rows of k numbers
  const std::int64_t* order;   // rows to visit
  const double* w;             // weights in the order of the visit, or null
  std::size_t n_visits, k;
  const double* center;        // d
  const double* scale;         // d
  const double* target;        // k: what is subtracted from y
  bool intercept;
  Rate rate;
  double total;                // weight of the updates of a whole pass
};

// The rows in their order. Model holds the coefficients in the form that suits the rows:
//   read(row)               looks at x~ and returns |x~|^2
//   score(t)                u . x~ for target t
//   move(t, delta, share)   u += delta x~, average += share delta x~
//   ahead                   rows are called for so many visits before their own, which is at a random place
template <class X, class Model>
SUREFIT_INLINE void walk(const Visits<X>& rows, State& at, Model& model) {
  for (std::size_t i = 0; i < rows.n_visits; ++i) {
    if (i + model.ahead < rows.n_visits) {
      rows.x.row(static_cast<std::size_t>(rows.order[i + model.ahead])).prefetch(rows.x.d);
    }
    const auto number = static_cast<std::size_t>(rows.order[i]);
    const double q = model.read(rows.x.row(number)) + (rows.intercept ? 1.0 : 0.0);
    const double weight = rows.w ? rows.w[i] : 1.0, eta = eta_at(rows.rate, at.clock);
    const double share = (rows.total - at.done) / rows.total;
    for (std::size_t t = 0; t < rows.k; ++t) {
      const double r = rows.y[number * rows.k + t] - rows.target[t] - at.intercept[t] - model.score(t);
      const double delta = step(r, eta, q, weight, rows.rate.capped);
      model.move(t, delta, share);
      if (rows.intercept) {
        at.intercept[t] += delta;
        at.average_b[t] += delta * share;
      }
    }
    at.clock += weight;
    at.done += weight;
  }
}

struct Loops {
  std::size_t lanes;
  // row: `stride` doubles to work in, zeros behind column d; stride: d rounded up to whole vectors
  void (*f32)(const Visits<DenseF32>&, State&, double* row, std::size_t stride);
  void (*f64)(const Visits<DenseF64>&, State&, double* row, std::size_t stride);
};

}  // namespace surefit::lms

SUREFIT_TABLES(lms::Loops, lms_loops)
