// One leaf of expectation and maximization, chunk by chunk: while a chunk of rows is in cache, with φ the features,
//
//   log π_k N(x; m_k, Σ_k) = φ(x)·w_k        r = softmax of them        sums += ω r φᵀ        value += ω log p(x)
#include "mixture/expectation_leaf.hpp"

#include <utility>

#include "simd/exponential.hpp"
#include "products/product_tiles.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

constexpr std::size_t kWide = kLanes<double>;

// Products run over into what is written next, or into padding, as zeros.
template <class T>
void features_of(const mixture::Leaf<T>& leaf, const T* x, double* phi) {
  const std::size_t d = leaf.shape.d;
  double* row = leaf.row;
  for (std::size_t j = 0; j < d; ++j) row[j] = (static_cast<double>(x[j]) - leaf.shift[j]) * leaf.scale[j];
  if (leaf.shape.full) {
    for (std::size_t i = 0; i < d; phi += d - i, ++i) {
      const Vec<double> first = splat(row[i]);
      for (std::size_t j = i; j < d; j += kWide) store(phi + (j - i), first * load(row + j));
    }
  } else {
    for (std::size_t j = 0; j < d; j += kWide) store(phi + j, load(row + j) * load(row + j));
    phi += d;
  }
  for (std::size_t j = 0; j < d; j += kWide) store(phi + j, load(row + j));
  phi[d] = 1;
}

using Lanes = std::make_index_sequence<kWide>;

// Of two rows of a matrix of kWide rows and columns, `half` apart: the blocks off the diagonal change places.
template <std::size_t half, std::size_t... I>
inline void exchange(Vec<double>& a, Vec<double>& b, std::index_sequence<I...>) {
  const Vec<double> first = a;
  a = __builtin_shufflevector(first, b, static_cast<int>(I & half ? kWide + I - half : I)...);
  b = __builtin_shufflevector(first, b, static_cast<int>(I & half ? kWide + I : I + half)...);
}

template <std::size_t half = kWide / 2>
inline void transpose(Vec<double> (&v)[kWide]) {
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kWide; ++i) {
    if (!(i & half)) exchange<half>(v[i], v[i + half], Lanes());
  }
  if constexpr (half > 1) transpose<half / 2>(v);
}

// Columns k … k + kWide − 1 of kWide rows, a row in each lane.
inline void load_columns(const double* joint, std::size_t components, Vec<double> (&v)[kWide]) {
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kWide; ++i) v[i] = load(joint + i * components);
  transpose(v);
}

inline void store_columns(double* joint, std::size_t components, Vec<double> (&v)[kWide]) {
  transpose(v);
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kWide; ++i) store(joint + i * components, v[i]);
}

// log p = top + log total, a row in each lane.
struct LogDensity {
  Vec<double> top, total;
};

// ω r in the place of the joint log-densities of kWide rows.
inline LogDensity shares(double* joint, std::size_t components, Vec<double> weight) {
  Vec<double> v[kWide];
  load_columns(joint, components, v);
  Vec<double> top = v[0];
  for (std::size_t k = 0;;) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kWide; ++i) top = v[i] > top ? v[i] : top;
    if ((k += kWide) >= components) break;
    load_columns(joint + k, components, v);
  }
  top = top - top == Vec<double>{} ? top : Vec<double>{};  // no component has a density here
  Vec<double> total = {};
  for (std::size_t k = 0; k < components; k += kWide) {
    if (components > kWide) load_columns(joint + k, components, v);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kWide; ++i) total += v[i] = exp_below_zero<double>(v[i] - top);
    if (components > kWide) store_columns(joint + k, components, v);
  }
  const Vec<double> factor = weight / total;
  if (components > kWide) {
    for (std::size_t i = 0; i < kWide; ++i) {
      for (std::size_t k = 0; k < components; k += kWide) {
        double* at = joint + i * components + k;
        store(at, load(at) * splat(factor[i]));
      }
    }
  } else {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kWide; ++i) v[i] *= factor;
    store_columns(joint, components, v);
  }
  return {top, total};
}

// shares of the rows of a chunk; returns Σ ω log p. Where every row counts once, Σ log total is the logarithm of a
// product, of few enough numbers between 1 and the number of components to stay far from overflow.
double chunk_shares(double* joint, std::size_t components, std::size_t rows, const double* w) {
  constexpr std::size_t factors = 12;
  double value = 0;
  for (std::size_t start = 0; start < rows; start += factors * kWide) {
    Vec<double> tops = {}, product = splat(1.0);
    const std::size_t end = rows - start < factors * kWide ? rows : start + factors * kWide;
    for (std::size_t i = start; i < end; i += kWide) {
      const std::size_t here = end - i < kWide ? end - i : kWide;
      Vec<double> weight = {};
      for (std::size_t l = 0; l < here; ++l) weight[l] = w ? w[i + l] : 1.0;
      const LogDensity found = shares(joint + i * components, components, weight);
      if (w == nullptr && here == kWide) {
        tops += found.top;
        product *= found.total;
      } else {
        for (std::size_t l = 0; l < here; ++l) value += weight[l] * (found.top[l] + __builtin_log(found.total[l]));
      }
    }
    if (w == nullptr) {
      for (std::size_t l = 0; l < kWide; ++l) value += tops[l] + __builtin_log(product[l]);
    }
  }
  return value;
}

template <class T>
double leaf_sums(const mixture::Leaf<T>& leaf) {
  const mixture::Shape& s = leaf.shape;
  constexpr std::size_t panel = kPanelColumns<double>;
  double value = 0;
  for (std::size_t start = 0; start < leaf.n; start += mixture::kChunkRows) {
    const std::size_t rows = leaf.n - start < mixture::kChunkRows ? leaf.n - start : mixture::kChunkRows;
    for (std::size_t i = 0; i < rows; ++i) features_of(leaf, leaf.x + (start + i) * s.d, leaf.phi + i * s.features);
    for (std::size_t k = 0; k < s.components; k += panel) {
      product_panel<false>(rows, s.n_features, leaf.phi, s.features, leaf.coef + k, s.components, leaf.joint + k,
                           s.components, s.components - k < panel ? s.components - k : panel, false);
    }
    value += chunk_shares(leaf.joint, s.components, rows, leaf.w ? leaf.w + start : nullptr);
    for (std::size_t j = 0; j < s.features; j += panel) {
      product_panel<true>(s.n_components, rows, leaf.joint, s.components, leaf.phi + j, s.features, leaf.sums + j,
                          s.features, s.features - j < panel ? s.features - j : panel, true);
    }
  }
  return value;
}

}  // namespace

extern const mixture::Loops mixture_loops;
const mixture::Loops mixture_loops = {kWide, leaf_sums<float>, leaf_sums<double>};

}  // namespace surefit::SUREFIT_LEVEL
