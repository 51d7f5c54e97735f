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
#include "perceptron_visit.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using namespace perceptron;

constexpr std::size_t kAhead = 4;            // rows fetched ahead of their visit, which is at random places
constexpr std::size_t kAheadBytes = 1024;    // of each

// Sums in lanes: dense rows and CSR give the same bits.
template <class Row>
double dot(const Row& row, const double* __restrict v) {
  RowLanes lanes;
  row.each([&](double x, std::size_t j, std::size_t l) { lanes.sum[l] += x * v[j]; });
  return lanes.total();
}

template <class Row>
double sq_length(const Row& row) {
  RowLanes lanes;
  row.each([&](double x, std::size_t, std::size_t l) { lanes.sum[l] += x * x; });
  return lanes.total();
}

// v ← v + c x; returns the change of Σ|v|.
template <class Row>
double add_sized(const Row& row, double c, double* __restrict v) {
  RowLanes lanes;
  row.each([&](double x, std::size_t j, std::size_t l) {
    const double before = v[j];
    v[j] += c * x;
    lanes.sum[l] += __builtin_fabs(v[j]) - __builtin_fabs(before);
  });
  return lanes.total();
}

// L1: the columns where x is not zero pay what is due, each at most all it has.
template <class Row>
void pay(const Row& row, Plane& plane) {
  RowLanes size, square;
  double* __restrict v = plane.v;
  double* __restrict paid = plane.paid;
  const double due = plane.due;
  row.each([&](double x, std::size_t j, std::size_t l) {
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

// max(0, 1 − c)^ω
double shrunk(double c, double weight) {
  const double once = c < 1 ? 1 - c : 0;
  return weight == 1 ? once : __builtin_pow(once, weight);
}

void fold_scale(Plane& plane, std::size_t d) {
  for (std::size_t j = 0; j < d; ++j) plane.v[j] *= plane.scale;
  if (plane.paid) {
    for (std::size_t j = 0; j < d; ++j) plane.paid[j] *= plane.scale;
    plane.due *= plane.scale;
  }
  plane.scale = 1;
}

// What the penalty takes before an update; `kept` is x·w, and shrinks with w.
void shrink(const Rule& rule, double weight, std::size_t d, Plane& plane, double& kept) {
  plane.objective += weight * (0.5 * rule.l2 * plane.sq_norm + rule.l1 * plane.l1_norm);
  const double factor = shrunk(rule.eta * rule.l2, weight);
  plane.scale *= factor;
  plane.sq_norm *= factor * factor;
  plane.l1_norm *= factor;
  kept *= factor;
  if (plane.scale < 1e-9) fold_scale(plane, d);
}

// The update of a row that is wrong: p ≤ 0, or NaN.
template <class Row>
void update(const Row& row, const Rule& rule, double weight, double unit, double sign, double p, double kept,
            Plane& plane) {
  double times = weight, q = 0;
  if (weight > 1 || rule.l2 > 0 || rule.l1 > 0) q = sq_length(row);
  if (weight > 1) {
    const double fewest = __builtin_floor(-p / (unit * (q + (rule.intercept ? 1 : 0)))) + 1;
    if (fewest < weight) times = fewest;
  }
  const double c = times * unit * sign;
  if (rule.l1 > 0) {
    plane.l1_norm += plane.scale * add_sized(row, c / plane.scale, plane.v);
  } else {
    add_to(row, c / plane.scale, plane.v);
  }
  plane.sq_norm += 2 * c * kept + c * c * q;
  if (rule.intercept) plane.b += c;
}

template <class X>
void visit(const X& rows, const Order& at, const Rule& rule, Plane& plane) {
  const bool penalized = rule.l2 > 0 || rule.l1 > 0;
  for (std::size_t i = 0; i < at.n; ++i) {
    if (i + kAhead < at.n) {
      rows.row(static_cast<std::size_t>(at.order[i + kAhead])).prefetch(kAheadBytes / sizeof(typename X::Scalar));
    }
    const auto row = rows.row(static_cast<std::size_t>(at.order[i]));
    const bool own = at.y[at.order[i]] == plane.code;
    const double sign = own ? 1 : -1, weight = at.w ? at.w[i] : 1.0;
    const double unit = rule.eta * (own ? plane.positive : plane.negative);
    if (rule.l1 > 0) pay(row, plane);
    double product = plane.scale * dot(row, plane.v);
    const double p = sign * (product + plane.b);
    const bool wrong = !(p > 0);  // NaN is wrong, and shows in the objective
    if (wrong) plane.objective += weight * -p;
    if (penalized) shrink(rule, weight, rows.d, plane, product);
    if (wrong) update(row, rule, weight, unit, sign, p, product, plane);
    if (rule.l1 > 0) plane.due += weight * rule.eta * rule.l1 / plane.scale;
  }
}

template <class X>
constexpr Loops<X> kLoops{visit<X>};

}  // namespace

extern const LoopsOfAll perceptron_loops;
const LoopsOfAll perceptron_loops{kLoops<DenseF32>,  kLoops<DenseF64>,  kLoops<CsrF32I32>,
                                  kLoops<CsrF32I64>, kLoops<CsrF64I32>, kLoops<CsrF64I64>};

}  // namespace surefit::SUREFIT_LEVEL
