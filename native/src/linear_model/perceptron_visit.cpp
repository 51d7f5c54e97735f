// The perceptron's rule for a row x of weight ω, class weight c, sign σ = ±1 and p = σ(x·w + b):
//
//     w ← max(0, 1 − η l2)^ω w                                     (the L2 penalty)
//     w ← w + min(ω, k) η c σ x,  b ← b + min(ω, k) η c σ          if p ≤ 0,  k = ⌊−p / (η c q)⌋ + 1
//     w ← towards zero by what is due, at most to zero             (the L1 penalty; due grows by ω η l1)
//
// with q = ‖x‖² (+1 with an intercept): ω unit updates in a row, of which those after the row is right do nothing.
// w = scale · v, so that shrinking is one multiplication. A column pays L1 when it is next looked at, before the dot
// product of a row where it is not zero, and at the end of a window: what is due adds up, and as nothing else moves the
// column in between, it comes to the same.
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

// pass(step): step(x_j, j, lane) for every column j of the row; a sparse row leaves out zeros.
template <class T>
struct DenseRow {
  const T* x;
  std::size_t d;

  template <class Step>
  void pass(Step&& step) const {
    std::size_t j = 0;
    for (; j + kWays <= d; j += kWays) {
      for (std::size_t l = 0; l < kWays; ++l) step(static_cast<double>(x[j + l]), j + l, l);
    }
    for (std::size_t l = 0; j < d; ++j, ++l) step(static_cast<double>(x[j]), j, l);
  }
};

template <class T, class Index>
struct SparseRow {
  const T* x;
  const Index* column;
  std::size_t n;

  template <class Step>
  void pass(Step&& step) const {
    for (std::size_t i = 0; i < n; ++i) {
      const auto j = static_cast<std::size_t>(column[i]);
      step(static_cast<double>(x[i]), j, j % kWays);
    }
  }
};

template <class Row>
double dot(const Row& row, const double* __restrict v) {
  Lanes lanes;
  row.pass([&](double x, std::size_t j, std::size_t l) { lanes.sum[l] += x * v[j]; });
  return lanes.total();
}

template <class Row>
double sq_length(const Row& row) {
  Lanes lanes;
  row.pass([&](double x, std::size_t, std::size_t l) { lanes.sum[l] += x * x; });
  return lanes.total();
}

// v ← v + c x; the change of Σ|v| if it is asked for.
template <bool kSizes, class Row>
double add_to(const Row& row, double* __restrict v, double c) {
  Lanes lanes;
  row.pass([&](double x, std::size_t j, std::size_t l) {
    const double before = v[j];
    v[j] += c * x;
    if constexpr (kSizes) lanes.sum[l] += __builtin_fabs(v[j]) - __builtin_fabs(before);
  });
  return kSizes ? lanes.total() : 0;
}

// L1: the columns where x is not zero pay what is due, each at most all it has.
template <class Row>
void pay(const Row& row, PerceptronPlane& plane) {
  Lanes size, square;
  double* __restrict v = plane.v;
  double* __restrict paid = plane.paid;
  const double due = plane.due;
  row.pass([&](double x, std::size_t j, std::size_t l) {
    const double before = v[j], has = __builtin_fabs(before);
    const double left = has - (due + (before < 0 ? -paid[j] : paid[j]));
    double kept = left > 0 ? left : 0;
    kept = x != 0 && has > 0 ? kept : has;
    const double after = before < 0 ? -kept : kept;
    v[j] = after;
    paid[j] += after - before;
    size.sum[l] += kept - has;
    square.sum[l] += (kept - has) * (kept + has);  // zero where nothing was paid, fused or not
  });
  plane.l1_norm += plane.scale * size.total();
  plane.sq_norm += plane.scale * plane.scale * square.total();
}

template <class T>
DenseRow<T> row_of(const VisitedDense<T>& rows, std::int64_t i) {
  return {rows.x + static_cast<std::size_t>(i) * rows.d, rows.d};
}
template <class T, class Index>
SparseRow<T, Index> row_of(const VisitedSparse<T, Index>& rows, std::int64_t i) {
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

template <class Rows>
void visit(const Rows& rows, const PerceptronOrder& at, const PerceptronRule& rule, PerceptronPlane& plane) {
  const bool penalised = rule.l2 > 0 || rule.l1 > 0;
  for (std::size_t i = 0; i < at.n; ++i) {
    if (i + kAhead < at.n) fetch(row_of(rows, at.order[i + kAhead]));
    const auto row = row_of(rows, at.order[i]);
    const bool own = at.y[at.order[i]] == plane.code;
    const double sign = own ? 1 : -1, weight = at.w ? at.w[i] : 1.0;
    const double unit = rule.eta * (own ? plane.positive : plane.negative);
    if (rule.l1 > 0) pay(row, plane);

    const double product = plane.scale * dot(row, plane.v), p = sign * (product + plane.b);
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
      if (weight > 1 || penalised) q = sq_length(row);
      if (weight > 1) {
        const double fewest = __builtin_floor(-p / (unit * (q + (rule.intercept ? 1 : 0)))) + 1;
        if (fewest < weight) times = fewest;
      }
      const double c = times * unit * sign;
      if (rule.l1 > 0) {
        plane.l1_norm += plane.scale * add_to<true>(row, plane.v, c / plane.scale);
      } else {
        add_to<false>(row, plane.v, c / plane.scale);
      }
      plane.sq_norm += 2 * c * kept + c * c * q;
      if (rule.intercept) plane.b += c;
    }
    if (rule.l1 > 0) plane.due += weight * rule.eta * rule.l1 / plane.scale;
  }
}

}  // namespace

extern const PerceptronLoops perceptron_loops;
const PerceptronLoops perceptron_loops{
    visit<VisitedDense<float>>,
    visit<VisitedDense<double>>,
    visit<VisitedSparse<float, std::int32_t>>,
    visit<VisitedSparse<float, std::int64_t>>,
    visit<VisitedSparse<double, std::int32_t>>,
    visit<VisitedSparse<double, std::int64_t>>};

}  // namespace surefit::SUREFIT_LEVEL
