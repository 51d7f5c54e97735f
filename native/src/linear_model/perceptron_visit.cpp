// The perceptron's rule for a row x of weight ω, sign σ = ±1 and p = σ(x·w + b):
//
//     w ← max(0, 1 − η l2)^ω w                                     (the L2 penalty)
//     w ← w + min(ω, k) η σ x,  b ← b + min(ω, k) η σ              if p ≤ 0,  k = ⌊−p / (η q)⌋ + 1
//     w ← towards zero by what is due, at most to zero             (the L1 penalty; due grows by ω η l1)
//
// with q = ‖x‖² (+1 with an intercept): ω unit updates in a row, of which those after the row is right do nothing.
// w = scale · v, so that shrinking is one multiplication. L1 is paid when a column is next looked at: before the dot
// product and after the update for columns where x is not zero, and for all at the end of a window.
//
// Sums run in kWays lanes, column j in lane j mod kWays, added in a fixed tree: a zero adds nothing, so that dense rows
// and CSR give the same bits.
#include "perceptron_visit.hpp"

#include "surefit/simd.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

constexpr std::size_t kWays = 16;
constexpr std::size_t kAhead = 4;  // rows fetched ahead of their visit, which is at random places

struct Lanes {
  double sum[kWays] = {};

  double total() {
    for (std::size_t half = kWays / 2; half > 0; half /= 2) {
      for (std::size_t l = 0; l < half; ++l) sum[l] += sum[l + half];
    }
    return sum[0];
  }
};

template <class T>
struct DenseRow {
  const T* x;
  std::size_t d;

  template <class Term>
  double summed(Term&& term) const {
    Lanes lanes;
    std::size_t j = 0;
    for (; j + kWays <= d; j += kWays) {
      for (std::size_t l = 0; l < kWays; ++l) lanes.sum[l] += term(static_cast<double>(x[j + l]), j + l);
    }
    for (std::size_t l = 0; j < d; ++j, ++l) lanes.sum[l] += term(static_cast<double>(x[j]), j);
    return lanes.total();
  }
  void add_to(double* __restrict v, double c) const {
    for (std::size_t j = 0; j < d; ++j) v[j] += c * static_cast<double>(x[j]);
  }
  template <class Body>
  void each(Body&& body) const {
    for (std::size_t j = 0; j < d; ++j) {
      if (x[j] != 0) body(j);
    }
  }
};

template <class T, class Index>
struct SparseRow {
  const T* x;
  const Index* column;
  std::size_t n;

  template <class Term>
  double summed(Term&& term) const {
    Lanes lanes;
    for (std::size_t i = 0; i < n; ++i) {
      const auto j = static_cast<std::size_t>(column[i]);
      lanes.sum[j % kWays] += term(static_cast<double>(x[i]), j);
    }
    return lanes.total();
  }
  void add_to(double* __restrict v, double c) const {
    for (std::size_t i = 0; i < n; ++i) v[column[i]] += c * static_cast<double>(x[i]);
  }
  template <class Body>
  void each(Body&& body) const {
    for (std::size_t i = 0; i < n; ++i) {
      if (x[i] != 0) body(static_cast<std::size_t>(column[i]));
    }
  }
};

template <class T>
DenseRow<T> row_of(const DenseRows<T>& rows, std::int64_t i) {
  return {rows.x + static_cast<std::size_t>(i) * rows.d, rows.d};
}
template <class T, class Index>
SparseRow<T, Index> row_of(const SparseRows<T, Index>& rows, std::int64_t i) {
  const Index lo = rows.indptr[i];
  return {rows.data + lo, rows.indices + lo, static_cast<std::size_t>(rows.indptr[i + 1] - lo)};
}

template <class T>
void fetch(const DenseRow<T>& row) {
  const auto* p = reinterpret_cast<const char*>(row.x);
  const std::size_t bytes = row.d * sizeof(T) < 1024 ? row.d * sizeof(T) : 1024;
  for (std::size_t at = 0; at < bytes; at += 64) __builtin_prefetch(p + at);
}
template <class T, class Index>
void fetch(const SparseRow<T, Index>& row) {
  const std::size_t n = row.n < 128 ? row.n : 128;
  for (std::size_t i = 0; i < n; i += 64 / sizeof(T)) __builtin_prefetch(row.x + i);
  for (std::size_t i = 0; i < n; i += 64 / sizeof(Index)) __builtin_prefetch(row.column + i);
}

// max(0, 1 − c)^ω
double shrunk(double c, double weight) {
  const double once = c < 1 ? 1 - c : 0;
  return weight == 1 ? once : __builtin_pow(once, weight);
}

void fold_scale(PerceptronPlane& plane, std::size_t d) {
  for (std::size_t j = 0; j < d; ++j) plane.v[j] *= plane.scale;
  if (plane.paid) {
    for (std::size_t j = 0; j < d; ++j) plane.paid[j] *= plane.scale;
    plane.due *= plane.scale;
  }
  plane.scale = 1;
}

void pay(PerceptronPlane& plane, std::size_t j) {
  const double before = plane.v[j];
  double after = before;
  if (before > 0) {
    after = before - (plane.due + plane.paid[j]);
    after = after > 0 ? after : 0;
  } else if (before < 0) {
    after = before + (plane.due - plane.paid[j]);
    after = after < 0 ? after : 0;
  }
  plane.v[j] = after;
  plane.paid[j] += after - before;
  plane.l1_norm += plane.scale * (__builtin_fabs(after) - __builtin_fabs(before));
  plane.sq_norm += plane.scale * plane.scale * (after * after - before * before);
}

template <class Rows>
void visit(const Rows& rows, const PerceptronOrder& at, const PerceptronRule& rule, PerceptronPlane& plane) {
  const bool penalised = rule.l2 > 0 || rule.l1 > 0;
  for (std::size_t i = 0; i < at.n; ++i) {
    if (i + kAhead < at.n) fetch(row_of(rows, at.order[i + kAhead]));
    const auto row = row_of(rows, at.order[i]);
    const bool own = at.y[at.order[i]] == plane.code;
    const double sign = own ? 1 : -1;
    const double weight = (at.w ? at.w[i] : 1.0) * (own ? plane.positive : plane.negative);
    if (weight == 0) continue;
    if (rule.l1 > 0) row.each([&](std::size_t j) { pay(plane, j); });

    const double* v = plane.v;
    const double product = plane.scale * row.summed([v](double x, std::size_t j) { return x * v[j]; });
    const double p = sign * (product + plane.b);
    const bool wrong = !(p > 0);  // NaN is wrong, and shows in the objective
    if (wrong) plane.objective += weight * -p;
    double kept = product;  // x·w after the shrinking
    if (penalised) {
      plane.objective += weight * (0.5 * rule.l2 * plane.sq_norm + rule.l1 * plane.l1_norm);
      const double factor = shrunk(rule.eta * rule.l2, weight);
      plane.scale *= factor;
      plane.sq_norm *= factor * factor;
      plane.l1_norm *= factor;
      kept *= factor;
      if (plane.scale < 1e-9) fold_scale(plane, rows.d);
    }
    if (wrong) {
      double times = weight, q = 0;
      if (weight > 1 || penalised) q = row.summed([](double x, std::size_t) { return x * x; });
      if (weight > 1) {
        const double fewest = __builtin_floor(-p / (rule.eta * (q + (rule.intercept ? 1 : 0)))) + 1;
        if (fewest < weight) times = fewest;
      }
      const double c = times * rule.eta * sign;
      const auto size = [v](double x, std::size_t j) { return x != 0 ? __builtin_fabs(v[j]) : 0; };
      const double before = rule.l1 > 0 ? row.summed(size) : 0;
      row.add_to(plane.v, c / plane.scale);
      if (rule.l1 > 0) plane.l1_norm += plane.scale * (row.summed(size) - before);
      plane.sq_norm += 2 * c * kept + c * c * q;
      if (rule.intercept) plane.b += c;
    }
    if (rule.l1 > 0) {
      plane.due += weight * rule.eta * rule.l1 / plane.scale;
      row.each([&](std::size_t j) { pay(plane, j); });
    }
  }
}

}  // namespace

extern const PerceptronLoops perceptron_loops;
const PerceptronLoops perceptron_loops{
    visit<DenseRows<float>>,
    visit<DenseRows<double>>,
    visit<SparseRows<float, std::int32_t>>,
    visit<SparseRows<float, std::int64_t>>,
    visit<SparseRows<double, std::int32_t>>,
    visit<SparseRows<double, std::int64_t>>};

}  // namespace surefit::SUREFIT_LEVEL
