// The vector part of Widrow and Hoff's rule: what lms_loops.cpp provides for each vector level, and the rule itself.
#pragma once

#include <math.h>

#include <cstddef>
#include <cstdint>

namespace surefit {

// eta = eta0 (1 + t / period)^-power at update t; `capped`: never more than 1/q, which puts the row right.
struct LmsRate {
  double eta0, power, period;
  bool capped;
};

// Internal linkage: every vector level has its own.
[[maybe_unused]] static inline double lms_eta(const LmsRate& rate, double t) {
  return rate.power == 0 ? rate.eta0 : rate.eta0 * pow(1 + t / rate.period, -rate.power);
}

// What `weight` updates in a row add to the intercept, and times x~ to the coefficients; q = |x~|^2 (+ 1). One update
// leaves r (1 - eta q) of the residual r, `weight` of them r (1 - eta q)^weight: together r (1 - (1 - eta q)^weight) / q.
[[maybe_unused]] static inline double lms_step(double r, double eta, double q, double weight, bool capped) {
  if (capped && eta * q >= 1) return r / q;
  if (weight == 1 || q == 0 || eta * q > 1) return weight * eta * r;
  return -r * expm1(weight * log1p(-eta * q)) / q;
}

// Where descent stands: k targets, d columns. `average` holds the mean of the iterates of this pass, once it is done.
struct LmsState {
  double* coef;       // k x stride
  double* intercept;  // k
  double* average;    // k x stride
  double* average_b;  // k
  double clock;       // weight of all updates so far
  double done;        // weight of the updates of this pass so far
};

template <class T>
struct LmsRows {
  const T* x;                  // rows of d numbers
  const double* y;             // rows of k numbers
  const std::int64_t* order;   // rows to visit
  const double* w;             // weights in the order of the visit, or null
  std::size_t n_visits, d, k;
  const double* centre;        // d
  const double* scale;         // d
  const double* target;        // k: what is subtracted from y
  bool intercept;
  LmsRate rate;
  double total;                // weight of the updates of a whole pass
};

struct LmsLoops {
  std::size_t lanes;
  // row: `stride` doubles of room, zeros behind column d; stride: d rounded up to whole vectors
  void (*f32)(const LmsRows<float>&, LmsState&, double* row, std::size_t stride);
  void (*f64)(const LmsRows<double>&, LmsState&, double* row, std::size_t stride);
};

namespace baseline { extern const LmsLoops lms_loops; }
#ifdef SUREFIT_X86_LEVELS
namespace v3 { extern const LmsLoops lms_loops; }
namespace v4 { extern const LmsLoops lms_loops; }
#endif

}  // namespace surefit
