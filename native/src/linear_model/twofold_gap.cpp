#include "linear_model/twofold_gap.hpp"

namespace surefit::SUREFIT_LEVEL {

namespace {

using least_squares::GapProblem;
using least_squares::GapSums;
using least_squares::kGapLanes;

typedef double Lanes __attribute__((vector_size(kGapLanes * sizeof(double))));

struct Twofold {
  Lanes high, low;
};

inline Lanes all(double x) { return x - Lanes{}; }

inline Lanes lanes_at(const double* p) {
  Lanes v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}

inline Twofold twofold_at(const double* p) { return {lanes_at(p), lanes_at(p + kGapLanes)}; }

inline void keep(double* p, Twofold v) { __builtin_memcpy(p, &v, sizeof v); }

// a + b and what rounding took (Knuth).
inline Twofold two_sum(Lanes a, Lanes b) {
  const Lanes s = a + b, v = s - a;
  return {s, (a - (s - v)) + (b - v)};
}

// a b and what rounding took (Dekker): halves of 26 bits multiply exactly.
inline Twofold two_product(Lanes a, Lanes b) {
  const Lanes p = a * b, ca = 134217729.0 * a, cb = 134217729.0 * b;
  const Lanes ah = ca - (ca - a), al = a - ah, bh = cb - (cb - b), bl = b - bh;
  return {p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

inline Twofold add(Twofold a, Twofold b) {
  const Twofold s = two_sum(a.high, b.high);
  return two_sum(s.high, s.low + (a.low + b.low));
}

inline Twofold multiply(Twofold a, Twofold b) {
  const Twofold p = two_product(a.high, b.high);
  return two_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

// (x - c) s for one number of each of `rows` rows, `stride` apart; zeros in the lanes behind them.
inline Twofold deviation(const double* x, std::size_t stride, std::size_t rows, double center, double scale) {
  double scaled[kGapLanes] = {};
  for (std::size_t i = 0; i < rows; ++i) scaled[i] = x[i * stride] * scale;
  return two_sum(lanes_at(scaled), all(-center * scale));
}

// The lanes of a sum, one after the other.
inline void add_up(Twofold lanes, double& high, double& low) {
  Twofold sum{all(0), all(0)};
  for (std::size_t l = 0; l < kGapLanes; ++l) sum = add(sum, {all(lanes.high[l]), all(lanes.low[l])});
  high = sum.high[0];
  low = sum.low[0];
}

void gap(const GapProblem& p, const GapSums& out) {
  constexpr std::size_t step = 2 * kGapLanes;
  const std::size_t n = p.x.n, d = p.x.d;
  double* const deviations = out.work;
  double* const sums = out.work + step * (d + 1);
  for (std::size_t k = 0; k < p.targets; ++k) {
    for (std::size_t i = 0; i < step * (d + 1); ++i) sums[i] = 0;
    Lanes squares = all(0);
    for (std::size_t first = 0; first < n; first += kGapLanes) {
      const std::size_t rows = n - first < kGapLanes ? n - first : kGapLanes;
      Twofold r = deviation(p.y + first * p.targets + k, p.targets, rows, p.center[d + k], p.scale[d + k]);
      r = add(r, {all(-p.b_high[k]), all(-p.b_low[k])});
      for (std::size_t j = 0; j < d; ++j) {
        const Twofold a = deviation(p.x.x + first * d + j, d, rows, p.center[j], p.scale[j]);
        keep(deviations + step * j, a);
        r = add(r, multiply(a, {all(-p.w_high[k * d + j]), all(-p.w_low[k * d + j])}));
      }
      double omega[kGapLanes] = {};
      for (std::size_t i = 0; i < rows; ++i) omega[i] = p.omega ? p.omega[first + i] : 1.0;
      const Twofold weighted = multiply(r, {lanes_at(omega), all(0)});
      squares += (weighted.high + weighted.low) * (r.high + r.low);
      keep(sums + step * d, add(twofold_at(sums + step * d), weighted));
      for (std::size_t j = 0; j < d; ++j) {
        double* const sum = sums + step * j;
        keep(sum, add(twofold_at(sum), multiply(twofold_at(deviations + step * j), weighted)));
      }
    }
    for (std::size_t j = 0; j < d; ++j) {
      add_up(twofold_at(sums + step * j), out.g_high[k * d + j], out.g_low[k * d + j]);
    }
    add_up(twofold_at(sums + step * d), out.g0_high[k], out.g0_low[k]);
    out.residual_ss[k] = 0;
    for (std::size_t l = 0; l < kGapLanes; ++l) out.residual_ss[k] += squares[l];
  }
}

}  // namespace

extern const least_squares::GapLoops gap_loops;
const least_squares::GapLoops gap_loops = {gap};

}  // namespace surefit::SUREFIT_LEVEL
