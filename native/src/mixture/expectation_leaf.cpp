// One leaf of expectation and maximization, chunk by chunk: while a chunk of rows is in cache, with φ the features,
//
//   log π_k N(x; m_k, Σ_k) = φ(x)·w_k        r = softmax of them        sums += ω r φᵀ        value += ω log p(x)
#include "mixture/expectation_leaf.hpp"

#include "kernels/gram_values.hpp"
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
    for (std::size_t j = 0; j < d; ++j) phi[j] = row[j] * row[j];
    phi += d;
  }
  for (std::size_t j = 0; j < d; ++j) phi[j] = row[j];
  phi[d] = 1;
}

inline double lane_sum(Vec<double> v) {
  double a[kWide];
  store(a, v);
  for (std::size_t half = kWide / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) a[l] += a[l + half];
  }
  return a[0];
}

inline double lane_max(Vec<double> v) {
  double a[kWide], top;
  store(a, v);
  top = a[0];
  for (std::size_t l = 1; l < kWide; ++l) top = a[l] > top ? a[l] : top;
  return top;
}

// ω r in the place of the joint log-densities of a row; returns ω log p.
inline double shares(double* joint, std::size_t components, double weight) {
  Vec<double> most = load(joint);
  for (std::size_t k = kWide; k < components; k += kWide) {
    const Vec<double> next = load(joint + k);
    most = next > most ? next : most;
  }
  double top = lane_max(most);
  if (!(top - top == 0)) top = 0;  // no component has a density here
  Vec<double> sum = {};
  for (std::size_t k = 0; k < components; k += kWide) {
    const Vec<double> p = exp_below_zero<double>(load(joint + k) - splat(top));
    store(joint + k, p);
    sum += p;
  }
  const double total = lane_sum(sum), factor = weight / total;
  for (std::size_t k = 0; k < components; k += kWide) store(joint + k, load(joint + k) * splat(factor));
  return weight * (top + __builtin_log(total));
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
    for (std::size_t i = 0; i < rows; ++i) {
      value += shares(leaf.joint + i * s.components, s.components, leaf.w ? leaf.w[start + i] : 1.0);
    }
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
