#include "lms.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "surefit/simd.hpp"

namespace surefit {
namespace {

const LmsLoops& loops() {
#ifdef SUREFIT_X86_LEVELS
  if (level() == Level::v4) return v4::lms_loops;
  if (level() == Level::v3) return v3::lms_loops;
#endif
  return baseline::lms_loops;
}

// Rows of `to` numbers from rows of `from` numbers; what is missing is zero.
std::vector<double> restrided(const double* a, std::size_t k, std::size_t from, std::size_t to) {
  std::vector<double> out(k * to);
  for (std::size_t t = 0; t < k; ++t) std::copy_n(a + t * from, from, out.data() + t * to);
  return out;
}

}  // namespace

template <class T>
void lms_visit(const LmsRows<T>& rows, LmsState& at) {
  const std::size_t lanes = loops().lanes, stride = (rows.d + lanes - 1) / lanes * lanes;
  std::vector<double> coef = restrided(at.coef, rows.k, rows.d, stride);
  std::vector<double> average = restrided(at.average, rows.k, rows.d, stride);
  std::vector<double> row(stride);
  LmsState inner{coef.data(), at.intercept, average.data(), at.average_b, at.clock, at.done};
  if constexpr (sizeof(T) == sizeof(float)) {
    loops().f32(rows, inner, row.data(), stride);
  } else {
    loops().f64(rows, inner, row.data(), stride);
  }
  for (std::size_t t = 0; t < rows.k; ++t) {
    std::copy_n(coef.data() + t * stride, rows.d, at.coef + t * rows.d);
    std::copy_n(average.data() + t * stride, rows.d, at.average + t * rows.d);
  }
  at.clock = inner.clock;
  at.done = inner.done;
}

// x~ is not sparse, but u is kept in two parts that are cheap to change. With c the centre and s the scale,
//
//   u_j = (v_j - z c_j s_j^2) / s_j        u . x~ = v.x - c.v - z (x.p - c.p),   p_j = c_j s_j^2
//
// an update by delta is  v_j += delta x_j s_j^2  on the entries of x, and  z += delta; c.v is kept up to date by
// c.v += delta x.p . Likewise for the average. All that belongs to a column lies side by side: s_j^2, p_j, then v_j and
// its average for each target.
template <class T, class Index>
void lms_visit(const LmsSparse<T, Index>& sparse, LmsState& at) {
  const LmsRows<T>& rows = sparse.rest;
  const std::size_t d = rows.d, k = rows.k, stride = 2 + 2 * k;
  std::vector<double> columns(d * stride), z(k), z_average(k), c_v(k), x_v(k);
  constexpr std::size_t kLine = 64, kAhead = 8;
  double c_p = 0;
  for (std::size_t j = 0; j < d; ++j) {
    double* column = columns.data() + j * stride;
    column[0] = rows.scale[j] * rows.scale[j];
    column[1] = rows.centre[j] * column[0];
    c_p += rows.centre[j] * column[1];
    for (std::size_t t = 0; t < k; ++t) {
      column[2 + 2 * t] = at.coef[t * d + j] * rows.scale[j];
      column[3 + 2 * t] = at.average[t * d + j] * rows.scale[j];
      c_v[t] += rows.centre[j] * column[2 + 2 * t];
    }
  }
  for (std::size_t i = 0; i < rows.n_visits; ++i) {
    const auto number = static_cast<std::size_t>(rows.order[i]);
    const auto first = static_cast<std::size_t>(sparse.indptr[number]);
    const auto last = static_cast<std::size_t>(sparse.indptr[number + 1]);
    if (i + kAhead < rows.n_visits) {
      const auto next = static_cast<std::size_t>(rows.order[i + kAhead]);
      const auto from = static_cast<std::size_t>(sparse.indptr[next]);
      const auto to = static_cast<std::size_t>(sparse.indptr[next + 1]);
      for (std::size_t e = from; e < to; e += kLine / sizeof(T)) __builtin_prefetch(sparse.data + e);
      for (std::size_t e = from; e < to; e += kLine / sizeof(Index)) __builtin_prefetch(sparse.indices + e);
    }
    double x_p = 0, x_x = 0;
    std::fill(x_v.begin(), x_v.end(), 0.0);
    for (std::size_t e = first; e < last; ++e) {
      const auto j = static_cast<std::size_t>(sparse.indices[e]);
      if (j >= d) throw std::invalid_argument("a column number is beyond the width, in row " + std::to_string(number));
      const double x = static_cast<double>(sparse.data[e]);
      const double* column = columns.data() + j * stride;
      x_x += x * x * column[0];
      x_p += x * column[1];
      for (std::size_t t = 0; t < k; ++t) x_v[t] += x * column[2 + 2 * t];
    }
    const double q = std::max(0.0, x_x - 2 * x_p + c_p) + (rows.intercept ? 1.0 : 0.0);
    const double weight = rows.w ? rows.w[i] : 1.0, eta = lms_eta(rows.rate, at.clock);
    const double share = (rows.total - at.done) / rows.total;
    for (std::size_t t = 0; t < k; ++t) {
      const double score = x_v[t] - c_v[t] - z[t] * (x_p - c_p);
      const double r = rows.y[number * k + t] - rows.target[t] - at.intercept[t] - score;
      const double delta = lms_step(r, eta, q, weight, rows.rate.capped);
      for (std::size_t e = first; e < last; ++e) {
        double* column = columns.data() + static_cast<std::size_t>(sparse.indices[e]) * stride;
        const double step = delta * static_cast<double>(sparse.data[e]) * column[0];
        column[2 + 2 * t] += step;
        column[3 + 2 * t] += share * step;
      }
      z[t] += delta;
      z_average[t] += delta * share;
      c_v[t] += delta * x_p;
      if (rows.intercept) {
        at.intercept[t] += delta;
        at.average_b[t] += delta * share;
      }
    }
    at.clock += weight;
    at.done += weight;
  }
  for (std::size_t j = 0; j < d; ++j) {
    const double* column = columns.data() + j * stride;
    for (std::size_t t = 0; t < k; ++t) {
      at.coef[t * d + j] = (column[2 + 2 * t] - z[t] * column[1]) / rows.scale[j];
      at.average[t * d + j] = (column[3 + 2 * t] - z_average[t] * column[1]) / rows.scale[j];
    }
  }
}

template void lms_visit(const LmsRows<float>&, LmsState&);
template void lms_visit(const LmsRows<double>&, LmsState&);
template void lms_visit(const LmsSparse<float, std::int32_t>&, LmsState&);
template void lms_visit(const LmsSparse<float, std::int64_t>&, LmsState&);
template void lms_visit(const LmsSparse<double, std::int32_t>&, LmsState&);
template void lms_visit(const LmsSparse<double, std::int64_t>&, LmsState&);

}  // namespace surefit
