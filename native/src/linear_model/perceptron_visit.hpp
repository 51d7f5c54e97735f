// One visit of rows by one perceptron: what perceptron_visit.cpp provides for each vector level.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit {

struct PerceptronRule {
  double eta;        // size of a unit update
  double l2, l1;     // shares of alpha: the penalty is l2/2 ‖w‖² + l1 ‖w‖₁
  bool intercept;
};

// The hyperplane of one class: w = scale · v, b. With L1, paid[j] is the signed sum of what v[j] has paid, `due` what
// each has to pay by now, both in units of v.
struct PerceptronPlane {
  double* v;
  double* paid;      // null without L1
  double due, scale, b;
  double sq_norm, l1_norm;  // of w, as columns have paid so far; kept only where the penalty needs them
  double objective;  // Σ ω (loss + penalty) over the visits
  double code;       // rows of this class are on the positive side
  double positive, negative;  // class weights of the two sides: factors of an update
};

template <class T>
struct VisitedDense {
  const T* x;
  std::size_t d;
};

template <class T, class Index>
struct VisitedSparse {
  const T* data;
  const Index* indices;
  const Index* indptr;
  std::size_t d;
};

// Rows order[0 … n-1] with weights w[0 … n-1] (null: all one).
struct PerceptronOrder {
  const double* y;
  const double* w;
  const std::int64_t* order;
  std::size_t n;
};

template <class Rows>
using PerceptronVisit = void (*)(const Rows&, const PerceptronOrder&, const PerceptronRule&, PerceptronPlane&);

struct PerceptronLoops {
  PerceptronVisit<VisitedDense<float>> dense_f32;
  PerceptronVisit<VisitedDense<double>> dense_f64;
  PerceptronVisit<VisitedSparse<float, std::int32_t>> sparse_f32_i32;
  PerceptronVisit<VisitedSparse<float, std::int64_t>> sparse_f32_i64;
  PerceptronVisit<VisitedSparse<double, std::int32_t>> sparse_f64_i32;
  PerceptronVisit<VisitedSparse<double, std::int64_t>> sparse_f64_i64;
};

namespace baseline { extern const PerceptronLoops perceptron_loops; }
#ifdef SUREFIT_X86_LEVELS
namespace v3 { extern const PerceptronLoops perceptron_loops; }
namespace v4 { extern const PerceptronLoops perceptron_loops; }
#endif

}  // namespace surefit
