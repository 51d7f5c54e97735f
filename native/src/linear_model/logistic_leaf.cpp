// One leaf of logistic regression, chunk by chunk: while a chunk of rows is in cache
//
//   z = x wᵀ + b        r = weight · (p - e_k)        gradient += rᵀ x
//
// with p the probabilities of the row (two classes: p = 1 / (1 + e⁻ᶻ), one score; else softmax of m scores).
#include "logistic_leaf.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using logistic::Leaf;
using logistic::Loops;

constexpr bool kMany = kVectorRegisters >= 32;
constexpr int kRows = 4;                  // rows of a tile of scores
constexpr int kScores = kMany ? 4 : 2;    // and its classes
constexpr int kColumns = kMany ? 4 : 2;   // vectors of a tile of the gradient
constexpr int kClasses = 4;                // and its classes

template <int n>
struct Width {
  static constexpr int value = n;
};

template <class A, class T>
inline Vec<A> take(const T* p) {
  if constexpr (sizeof(A) == sizeof(T)) {
    return load(p);
  } else {
    typedef T Half __attribute__((vector_size(kVectorBytes / 2)));
    Half h;
    __builtin_memcpy(&h, p, sizeof h);
    return __builtin_convertvector(h, Vec<A>);
  }
}

template <class A>
inline A lane_sum(Vec<A> v) {
  A a[kLanes<A>];
  store(a, v);
  for (int half = kLanes<A> / 2; half > 0; half /= 2) {
    for (int l = 0; l < half; ++l) a[l] += a[l + half];
  }
  return a[0];
}

// n_k scores of four rows; `rest`: their last columns, padded with zeros.
template <int n_k, class A, class T>
void score_tile(const T* const* x, const A (*rest)[kLanes<A>], std::size_t whole, bool has_rest, const A* w,
                std::size_t padded, const double* b, A* z, std::size_t m, int n_rows) {
  Vec<A> sum[kRows][n_k] = {};
  for (std::size_t j = 0; j < whole; j += kLanes<A>) {
    Vec<A> v[n_k];
#pragma GCC unroll 8
    for (int k = 0; k < n_k; ++k) v[k] = load(w + k * padded + j);
#pragma GCC unroll 8
    for (int i = 0; i < kRows; ++i) {
      const Vec<A> row = take<A>(x[i] + j);
#pragma GCC unroll 8
      for (int k = 0; k < n_k; ++k) sum[i][k] += row * v[k];
    }
  }
  for (int i = 0; i < kRows; ++i) {
    for (int k = 0; k < n_k; ++k) {
      if (has_rest) sum[i][k] += load(rest[i]) * load(w + k * padded + whole);
      if (i < n_rows) z[i * m + k] = lane_sum<A>(sum[i][k]) + static_cast<A>(b[k]);
    }
  }
}

template <class A, class T>
void scores(const Leaf<T>& leaf, const T* x, std::size_t n) {
  const std::size_t d = leaf.shape.d, m = leaf.shape.m, whole = d / kLanes<A> * kLanes<A>;
  const A* w = static_cast<const A*>(leaf.coef);
  A* z = static_cast<A*>(leaf.scores);
  for (std::size_t r = 0; r < n; r += kRows) {
    const int n_rows = n - r < kRows ? static_cast<int>(n - r) : kRows;
    const T* row[kRows];
    A rest[kRows][kLanes<A>] = {};
    for (int i = 0; i < kRows; ++i) {
      row[i] = x + (r + (i < n_rows ? i : 0)) * d;
      for (std::size_t j = whole; j < d; ++j) rest[i][j - whole] = static_cast<A>(row[i][j]);
    }
    const auto tile = [&](auto tag, std::size_t k) {
      score_tile<tag.value, A, T>(row, rest, whole, whole < d, w + k * leaf.padded, leaf.padded, leaf.intercept + k,
                                  z + r * m + k, m, n_rows);
    };
    std::size_t k = 0;
    for (; k + kScores <= m; k += kScores) tile(Width<kScores>{}, k);
    for (; k + 2 <= m; k += 2) tile(Width<2>{}, k);
    if (k < m) tile(Width<1>{}, k);
  }
}

// gradient[k][j …] += Σ_rows r[row][k] x[row][j …] for n_k classes and n_c vectors of columns. `ahead`: meanwhile the
// same columns of the next n rows, the next chunk, come into the cache.
template <int n_k, int n_c, bool ahead, class A, class T>
void gradient_tile(const T* x, std::size_t d, const A* r, std::size_t m, std::size_t n, double* g) {
  Vec<A> sum[n_c][n_k] = {};
  for (std::size_t i = 0; i < n; ++i, x += d, r += m) {
    Vec<A> v[n_c];
#pragma GCC unroll 8
    for (int c = 0; c < n_c; ++c) {
      v[c] = take<A>(x + c * kLanes<A>);
      if constexpr (ahead) __builtin_prefetch(x + n * d + c * kLanes<A>, 0, 2);
    }
#pragma GCC unroll 8
    for (int k = 0; k < n_k; ++k) {
      const Vec<A> share = splat(r[k]);
#pragma GCC unroll 8
      for (int c = 0; c < n_c; ++c) sum[c][k] += v[c] * share;
    }
  }
  for (int k = 0; k < n_k; ++k) {
    for (int c = 0; c < n_c; ++c) {
      A a[kLanes<A>];
      store(a, sum[c][k]);
      for (int l = 0; l < kLanes<A>; ++l) g[k * d + c * kLanes<A> + l] += static_cast<double>(a[l]);
    }
  }
}

template <int n_k, bool ahead, class A, class T>
void gradient_classes(const T* x, std::size_t d, const A* r, std::size_t m, std::size_t n, double* g) {
  constexpr std::size_t step = kColumns * kLanes<A>;
  std::size_t j = 0;
  for (; j + step <= d; j += step) gradient_tile<n_k, kColumns, ahead, A, T>(x + j, d, r, m, n, g + j);
  for (; j + kLanes<A> <= d; j += kLanes<A>) gradient_tile<n_k, 1, ahead, A, T>(x + j, d, r, m, n, g + j);
  for (; j < d; ++j) {
    for (int k = 0; k < n_k; ++k) {
      A sum = 0;
      for (std::size_t i = 0; i < n; ++i) sum += r[i * m + k] * static_cast<A>(x[i * d + j]);
      g[k * d + j] += static_cast<double>(sum);
    }
  }
}

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
    scores<A, T>(leaf, x, n);
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
