// Widrow and Hoff's rule on dense rows: x~ is written out, and rows of coefficients are whole vectors.
#include "lms_loops.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using namespace lms;

constexpr std::size_t kLane = kLanes<double>;

double lane_sum(Vec<double> v) {
  double a[kLane];
  store(a, v);
  for (std::size_t half = kLane / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) a[l] += a[l + half];
  }
  return a[0];
}

// Four sums that run side by side; n is a whole number of vectors.
double dot(const double* a, const double* b, std::size_t n) {
  Vec<double> sum[4] = {};
  std::size_t j = 0;
  for (; j + 4 * kLane <= n; j += 4 * kLane) {
#pragma GCC unroll 4
    for (std::size_t s = 0; s < 4; ++s) sum[s] += load(a + j + s * kLane) * load(b + j + s * kLane);
  }
  for (; j < n; j += kLane) sum[0] += load(a + j) * load(b + j);
  return lane_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

struct DenseModel {
  double* coef;
  double* average;
  double* __restrict__ row;  // x~
  const double* center;
  const double* scale;
  std::size_t stride, ahead;

  template <class T>
  double read(const DenseRow<T>& x) const {
    for (std::size_t j = 0; j < x.d; ++j) row[j] = (static_cast<double>(x.x[j]) - center[j]) * scale[j];
    return dot(row, row, stride);
  }
  double score(std::size_t t) const { return dot(coef + t * stride, row, stride); }
  void move(std::size_t t, double delta, double share) const {
    double *u = coef + t * stride, *mean = average + t * stride;
    const Vec<double> step = splat(delta), part = splat(delta * share);
    for (std::size_t j = 0; j < stride; j += kLane) {
      const Vec<double> v = load(row + j);
      store(u + j, load(u + j) + step * v);
      store(mean + j, load(mean + j) + part * v);
    }
  }
};

template <class T>
void visit(const Visits<DenseRows<T>>& rows, State& at, double* row, std::size_t stride) {
  const std::size_t ahead = rows.x.d * sizeof(T) > 2048 ? 2 : 16;  // as many rows as the first cache holds
  DenseModel model{at.coef, at.average, row, rows.center, rows.scale, stride, ahead};
  walk(rows, at, model);
}

}  // namespace

extern const Loops lms_loops;
const Loops lms_loops{kLane, visit<float>, visit<double>};

}  // namespace surefit::SUREFIT_LEVEL
