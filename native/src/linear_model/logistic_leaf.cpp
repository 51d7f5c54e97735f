// One leaf of logistic regression, chunk by chunk: while a chunk of rows is in cache
//
//   z = x wᵀ + b        r = weight · (p - e_k)        gradient += rᵀ x
//
// with p the probabilities of the row (two classes: p = 1 / (1 + e⁻ᶻ), one score; else softmax of m scores).
#include "logistic_leaf.hpp"

#include "score_tiles.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using logistic::Leaf;
using logistic::Loops;

constexpr int kClasses = 4;  // of a tile of the gradient

template <class A, class T>
void gradient(const Leaf<T>& leaf, const T* x, std::size_t n) {
  const std::size_t d = leaf.shape.d, m = leaf.shape.m;
  const A* r = static_cast<const A*>(leaf.scores);
  double* g = leaf.sums + leaf.shape.gradient();
  if (m < 2) return gradient_classes<1, true, A, T>(x, d, r, m, n, g);
  gradient_classes<2, true, A, T>(x, d, r, m, n, g);
  std::size_t k = 2;
  for (; k + kClasses <= m; k += kClasses) gradient_classes<kClasses, false, A, T>(x, d, r + k, m, n, g + k * d);
  for (; k + 2 <= m; k += 2) gradient_classes<2, false, A, T>(x, d, r + k, m, n, g + k * d);
  if (k < m) gradient_classes<1, false, A, T>(x, d, r + k, m, n, g + k * d);
}

inline float exp_of(float v) { return __builtin_expf(v); }
inline double exp_of(double v) { return __builtin_exp(v); }

inline void note(double spread, double margin, double* sums) {
  if (spread > sums[1]) sums[1] = spread;
  if (margin < sums[2]) sums[2] = margin;
}

// Scores become residuals. u = -z for class 1, z for class 0: how far the row is on the wrong side.
template <class T>
void two_classes(const Leaf<T>& leaf, std::size_t first, std::size_t n) {
  double* z = static_cast<double*>(leaf.scores);
  double* sums = leaf.sums;
  for (std::size_t i = 0; i < n; ++i) {
    const double w = leaf.w ? leaf.w[first + i] : 1.0;
    const bool one = leaf.y && leaf.y[first + i] > 0.5;  // p (1 - p) does not depend on the class
    const double u = one ? -z[i] : z[i], size = u < 0 ? -u : u;
    const double e = __builtin_exp(-size), q = 1 / (1 + e), curved = w * (e * q * q);
    if (leaf.row_curvature) leaf.row_curvature[first + i] = curved;
    if (!sums) continue;
    if (w == 0) {
      z[i] = 0;
      continue;
    }
    const double wrong = u > 0 ? q : e * q;
    sums[0] += w * ((u > 0 ? u : 0) + __builtin_log1p(e));
    sums[leaf.shape.curvature()] += curved;
    note(size, -u, sums);
    z[i] = one ? -w * wrong : w * wrong;
    sums[leaf.shape.gradient_b()] += z[i];
  }
}

template <class A, class T>
void many_classes(const Leaf<T>& leaf, std::size_t first, std::size_t n) {
  const std::size_t m = leaf.shape.m;
  double* sums = leaf.sums;
  double* b = sums + leaf.shape.gradient_b();
  double* J = sums + leaf.shape.curvature();
  for (std::size_t i = 0; i < n; ++i) {
    A* z = static_cast<A*>(leaf.scores) + i * m;
    const double w = leaf.w ? leaf.w[first + i] : 1.0;
    if (w == 0) {
      for (std::size_t k = 0; k < m; ++k) z[k] = 0;
      continue;
    }
    const std::size_t own = static_cast<std::size_t>(leaf.y[first + i]);
    std::size_t best = 0;
    A low = z[0], other = own == 0 ? z[1] : z[0];
    for (std::size_t k = 0; k < m; ++k) {
      if (z[k] > z[best]) best = k;
      if (z[k] < low) low = z[k];
      if (k != own && z[k] > other) other = z[k];
    }
    const A top = z[best];
    note(static_cast<double>(top - low), static_cast<double>(z[own] - other), sums);
    const double behind = static_cast<double>(top - z[own]);
    A rest = 0;  // Σ e^(z - top) without the largest, which is 1
    for (std::size_t k = 0; k < m; ++k) {
      z[k] = exp_of(z[k] - top);
      if (k != best) rest += z[k];
    }
    const double total = 1 + static_cast<double>(rest);
    sums[0] += w * (behind + __builtin_log1p(static_cast<double>(rest)));
    const A scale = static_cast<A>(1 / total);
    A wrong = 0;
    for (std::size_t k = 0; k < m; ++k) {
      z[k] *= scale;
      if (k != own) wrong += z[k];
    }
    for (std::size_t k = 0; k < m && leaf.shape.curved; ++k) {
      const double share = w * static_cast<double>(z[k]);
      J[k * m + k] += share;
      for (std::size_t l = k; l < m; ++l) J[k * m + l] -= share * static_cast<double>(z[l]);
    }
    z[own] = -wrong;
    for (std::size_t k = 0; k < m; ++k) {
      z[k] *= static_cast<A>(w);
      b[k] += static_cast<double>(z[k]);
    }
  }
}

template <class A, class T>
void whole_leaf(const Leaf<T>& leaf) {
  for (std::size_t first = 0; first < leaf.x.n; first += leaf.chunk_rows) {
    const std::size_t n = leaf.x.n - first < leaf.chunk_rows ? leaf.x.n - first : leaf.chunk_rows;
    const T* x = leaf.x.row(first).x;
    scores(x, n, leaf.shape.d, leaf.shape.m, static_cast<const A*>(leaf.coef), leaf.padded, leaf.intercept,
           static_cast<A*>(leaf.scores));
    if constexpr (sizeof(A) == sizeof(double)) {
      if (leaf.shape.m == 1) two_classes(leaf, first, n);
    }
    if (leaf.shape.m > 1) many_classes<A>(leaf, first, n);
    if (leaf.sums) gradient<A, T>(leaf, x, n);
  }
}

}  // namespace

extern const Loops logistic_loops;
const Loops logistic_loops{kLanes<float>, kLanes<double>, whole_leaf<float, float>, whole_leaf<double, float>,
                           whole_leaf<double, double>};

}  // namespace surefit::SUREFIT_LEVEL
