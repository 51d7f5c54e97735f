// Widrow and Hoff's rule on dense rows, one after the other. With x~ = (x - centre) scale
//
//   r = y - target - u . x~ - b        u += delta x~        b += delta        delta = lms_step(r, eta, q, weight)
//
// The mean of the iterates is not summed iterate by iterate: an update made when the share c of the pass (this update
// with it) is still to come is in that share of the iterates, so  average += c delta x~ .
#include "lms_loops.hpp"

#include "surefit/simd.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

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

void move(double* coef, double* average, const double* row, double delta, double share, std::size_t n) {
  const Vec<double> step = splat(delta), part = splat(delta * share);
  for (std::size_t j = 0; j < n; j += kLane) {
    const Vec<double> v = load(row + j);
    store(coef + j, load(coef + j) + step * v);
    store(average + j, load(average + j) + part * v);
  }
}

template <class T>
void visit(const LmsRows<T>& rows, LmsState& at, double* __restrict__ row, std::size_t stride) {
  const std::size_t d = rows.d, k = rows.k;
  // Rows come in a random order: those of the next visits are called for in time, as many as the first cache holds.
  constexpr std::size_t kLine = 64 / sizeof(T);
  const std::size_t ahead = d * sizeof(T) > 2048 ? 2 : 16;
  for (std::size_t i = 0; i < rows.n_visits; ++i) {
    if (i + ahead < rows.n_visits) {
      const T* next = rows.x + static_cast<std::size_t>(rows.order[i + ahead]) * d;
      for (std::size_t j = 0; j < d; j += kLine) __builtin_prefetch(next + j);
    }
    const auto number = static_cast<std::size_t>(rows.order[i]);
    const T* __restrict__ x = rows.x + number * d;
    for (std::size_t j = 0; j < d; ++j) row[j] = (static_cast<double>(x[j]) - rows.centre[j]) * rows.scale[j];
    const double q = dot(row, row, stride) + (rows.intercept ? 1.0 : 0.0);
    const double weight = rows.w ? rows.w[i] : 1.0, eta = lms_eta(rows.rate, at.clock);
    const double share = (rows.total - at.done) / rows.total;
    for (std::size_t t = 0; t < k; ++t) {
      const double r = rows.y[number * k + t] - rows.target[t] - at.intercept[t] - dot(at.coef + t * stride, row, stride);
      const double delta = lms_step(r, eta, q, weight, rows.rate.capped);
      move(at.coef + t * stride, at.average + t * stride, row, delta, share, stride);
      if (rows.intercept) {
        at.intercept[t] += delta;
        at.average_b[t] += delta * share;
      }
    }
    at.clock += weight;
    at.done += weight;
  }
}

}  // namespace

extern const LmsLoops lms_loops;
const LmsLoops lms_loops{kLane, visit<float>, visit<double>};

}  // namespace surefit::SUREFIT_LEVEL
