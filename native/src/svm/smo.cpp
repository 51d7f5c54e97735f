#include "smo.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using namespace smo;

using Numbers = Vec<double>;
typedef long long Places __attribute__((vector_size(kVectorBytes)));
typedef float HalfNumbers __attribute__((vector_size(kVectorBytes / 2)));

constexpr int kWide = kLanes<double>;
constexpr double kInfinity = __builtin_inf();
constexpr double kTinyShare = 1e-14;    // of K_ii + K_jj: the least curvature of a pair
constexpr double kTiniest = 1e-290;

SUREFIT_INLINE Numbers load_row(const double* p) { return load(p); }
SUREFIT_INLINE Numbers load_row(const float* p) {
  HalfNumbers v;
  __builtin_memcpy(&v, p, sizeof v);
  return __builtin_convertvector(v, Numbers);
}

SUREFIT_INLINE Places first_places() {
  Places p;
  for (int l = 0; l < kWide; ++l) p[l] = l;
  return p;
}

// The largest number seen and its place (the first of equal ones).
struct Largest {
  double value = -kInfinity;
  long long place = -1;

  SUREFIT_INLINE void see(double v, long long at) {
    if (v > value || (v == value && at < place)) {
      value = v;
      place = at;
    }
  }
};

struct LargestOfLanes {
  Numbers value = splat(-kInfinity);
  Places place = Places{} - 1;

  SUREFIT_INLINE void see(Numbers v, Places at) {
    const auto more = v > value;
    value = more ? v : value;
    place = more ? at : place;
  }
  SUREFIT_INLINE Largest all() const {
    Largest out;
    for (int l = 0; l < kWide; ++l) {
      if (place[l] >= 0) out.see(value[l], place[l]);
    }
    return out;
  }
};

// F ← F + t (K_i − K_j); then the smallest F of what may grow (as the largest −F) and the largest of what may fall.
struct Extremes {
  Largest grows, falls;
};

template <class T>
Extremes move(const Problem<T>& p, const T* __restrict row_i, const T* __restrict row_j, double t) {
  double* __restrict F = p.F;
  const double* __restrict up = p.up;
  const double* __restrict down = p.down;
  LargestOfLanes grows, falls;
  Places place = first_places();
  const Numbers step = splat(t);
  std::size_t k = 0;
  for (; k + kWide <= p.m; k += kWide, place += kWide) {
    const Numbers f = load(F + k) + step * (load_row(row_i + k) - load_row(row_j + k));
    store(F + k, f);
    grows.see(load(up + k) - f, place);
    falls.see(load(down + k) + f, place);
  }
  Extremes out{grows.all(), falls.all()};
  for (; k < p.m; ++k) {
    F[k] += t * (static_cast<double>(row_i[k]) - static_cast<double>(row_j[k]));
    out.grows.see(up[k] - F[k], static_cast<long long>(k));
    out.falls.see(down[k] + F[k], static_cast<long long>(k));
  }
  return out;
}

SUREFIT_INLINE double curvature(double k_ii, double k_jj, double k_ij) {
  const double eta = k_ii + k_jj - 2 * k_ij, least = kTinyShare * (k_ii + k_jj) + kTiniest;
  return eta > least ? eta : least > kTiniest ? least : kTiniest;
}

// j with the largest δ²/η.
template <class T>
Largest partner(const Problem<T>& p, std::size_t i) {
  const T* __restrict row = p.K + i * p.m;
  const double* __restrict F = p.F;
  const double* __restrict down = p.down;
  const double* __restrict diagonal = p.diagonal;
  const double f_i = F[i], k_ii = diagonal[i];
  LargestOfLanes best;
  Places place = first_places();
  const Numbers zero = splat(0.0), tiniest = splat(kTiniest);
  std::size_t k = 0;
  for (; k + kWide <= p.m; k += kWide, place += kWide) {
    Numbers delta = load(F + k) + load(down + k) - f_i;
    delta = delta > zero ? delta : zero;
    const Numbers both = load(diagonal + k) + k_ii;
    Numbers eta = both - 2 * load_row(row + k), least = kTinyShare * both + kTiniest;
    least = least > tiniest ? least : tiniest;
    eta = eta > least ? eta : least;
    best.see(delta * (delta / eta), place);
  }
  Largest out = best.all();
  for (; k < p.m; ++k) {
    double delta = F[k] + down[k] - f_i;
    delta = delta > 0 ? delta : 0;
    out.see(delta * (delta / curvature(k_ii, diagonal[k], static_cast<double>(row[k]))), static_cast<long long>(k));
  }
  return out;
}

// Which ways an entry may go: 0 where it may, −∞ where a bound stops it.
template <class T>
SUREFIT_INLINE void mark(const Problem<T>& p, std::size_t k) {
  p.up[k] = p.beta[k] < p.high[k] ? 0 : -kInfinity;
  p.down[k] = p.beta[k] > p.low[k] ? 0 : -kInfinity;
}

template <class T>
Outcome descend(const Problem<T>& p, double eps, std::size_t most) {
  if (p.m == 0) return {0, 0};
  for (std::size_t k = 0; k < p.m; ++k) mark(p, k);
  Extremes ends = move(p, p.K, p.K, 0.0);
  std::size_t steps = 0;
  for (;; ++steps) {
    if (ends.grows.place < 0 || ends.falls.place < 0) return {steps, 0};
    const double violation = ends.falls.value + ends.grows.value;
    if (!(violation > eps) || steps == most) return {steps, violation};
    const std::size_t i = static_cast<std::size_t>(ends.grows.place);
    const Largest chosen = partner(p, i);
    if (!(chosen.value > 0)) return {steps, violation};
    const std::size_t j = static_cast<std::size_t>(chosen.place);
    const double eta = curvature(p.diagonal[i], p.diagonal[j], static_cast<double>(p.K[i * p.m + j]));
    const double slack_i = p.high[i] - p.beta[i], slack_j = p.beta[j] - p.low[j];
    double t = (p.F[j] - p.F[i]) / eta;
    t = t < slack_i ? t : slack_i;
    t = t < slack_j ? t : slack_j;
    const double before_i = p.beta[i];
    p.beta[i] = t == slack_i ? p.high[i] : before_i + t;
    p.beta[j] = t == slack_j ? p.low[j] : p.beta[j] - t;
    mark(p, i);
    mark(p, j);
    ends = move(p, p.K + i * p.m, p.K + j * p.m, t);
  }
}

// Four rows at a time: F is read and written once for each four.
template <class T>
void add(const Combination<T>& c, std::size_t first, std::size_t end, double* F) {
  std::size_t r = 0;
  for (; r + 4 <= c.count; r += 4) {
    const T *a = c.rows[r], *b = c.rows[r + 1], *d = c.rows[r + 2], *e = c.rows[r + 3];
    const double fa = c.factors[r], fb = c.factors[r + 1], fd = c.factors[r + 2], fe = c.factors[r + 3];
    std::size_t k = first;
    for (; k + kWide <= end; k += kWide) {
      const Numbers left = fa * load_row(a + k) + fb * load_row(b + k);
      const Numbers right = fd * load_row(d + k) + fe * load_row(e + k);
      store(F + k, load(F + k) + (left + right));
    }
    for (; k < end; ++k) {
      const double left = fa * static_cast<double>(a[k]) + fb * static_cast<double>(b[k]);
      const double right = fd * static_cast<double>(d[k]) + fe * static_cast<double>(e[k]);
      F[k] += left + right;
    }
  }
  for (; r < c.count; ++r) {
    const T* a = c.rows[r];
    for (std::size_t k = first; k < end; ++k) F[k] += c.factors[r] * static_cast<double>(a[k]);
  }
}

}  // namespace

extern const Loops smo_loops;
const Loops smo_loops = {descend<float>, descend<double>, add<float>, add<double>};

}  // namespace surefit::SUREFIT_LEVEL
