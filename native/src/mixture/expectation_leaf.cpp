// One leaf of expectation and maximization, chunk by chunk: while a chunk of rows is in cache, with φ the features,
//
//   log π_k N(x; m_k, Σ_k) = φ(x)·w_k + c_k    r = softmax of them    sums, mass += ω r φᵀ, ω r    value += ω log p(x)
#include "mixture/expectation_leaf.hpp"

#include <cstring>
#include <limits>
#include <utility>

#include "simd/exponential.hpp"
#include "products/product_tiles.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

constexpr std::size_t kWide = kLanes<double>;

// kWide numbers, in double precision.
template <class T>
inline Vec<double> widened(const T* at) {
  typedef T Few __attribute__((vector_size(kWide * sizeof(T))));
  Few few;
  std::memcpy(&few, at, sizeof few);
  return __builtin_convertvector(few, Vec<double>);
}

// (x_j − shift_j) · scale_j from j on, for whole vectors.
template <class T>
inline Vec<double> measured(const T* x, const double* shift, const double* scale, std::size_t j) {
  return (widened(x + j) - load(shift + j)) * load(scale + j);
}

// z_i z_j for i ≤ j, then z. Products run over into what is written next, or into padding, as zeros.
template <class T>
inline void full_features(const T* x, const double* shift, const double* scale, std::size_t d, double* row,
                          double* phi) {
  std::size_t done = 0;
  for (; done + kWide <= d; done += kWide) store(row + done, measured(x, shift, scale, done));
  for (; done < d; ++done) row[done] = (static_cast<double>(x[done]) - shift[done]) * scale[done];
  for (std::size_t i = 0; i < d; phi += d - i, ++i) {
    const Vec<double> first = splat(row[i]);
    for (std::size_t j = i; j < d; j += kWide) store(phi + (j - i), first * load(row + j));
  }
  for (std::size_t j = 0; j < d; j += kWide) store(phi + j, load(row + j));
}

// z_j², then z.
template <class T>
inline void diagonal_features(const T* x, const double* shift, const double* scale, std::size_t d, double* phi) {
  std::size_t done = 0;
  for (; done + kWide <= d; done += kWide) {
    const Vec<double> z = measured(x, shift, scale, done);
    store(phi + done, z * z);
    store(phi + d + done, z);
  }
  for (; done < d; ++done) {
    const double z = (static_cast<double>(x[done]) - shift[done]) * scale[done];
    phi[done] = z * z;
    phi[d + done] = z;
  }
}

template <class T>
void chunk_features(const mixture::Leaf<T>& leaf, const T* x, std::size_t rows) {
  const std::size_t d = leaf.shape.d, features = leaf.shape.features;
  double* phi = leaf.phi;
  for (std::size_t i = 0; i < rows; ++i, x += d, phi += features) {
    if (leaf.shape.full) {
      full_features(x, leaf.shift, leaf.scale, d, leaf.row, phi);
    } else {
      diagonal_features(x, leaf.shift, leaf.scale, d, phi);
    }
  }
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

// The largest of the vectors or their sum, lane by lane, in pairs.
template <bool largest>
inline Vec<double> folded(const Vec<double> (&v)[kWide]) {
  Vec<double> t[kWide];
  for (std::size_t i = 0; i < kWide; ++i) t[i] = v[i];
#pragma GCC unroll 4
  for (std::size_t half = kWide / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < half; ++i) {
      if constexpr (largest) {
        t[i] = t[i] > t[i + half] ? t[i] : t[i + half];
      } else {
        t[i] += t[i + half];
      }
    }
  }
  return t[0];
}

// log p = top + log total, a row in each lane.
struct LogDensity {
  Vec<double> top, total;
};

// ω r in the place of φ(x)·w of kWide rows, and added to the mass.
inline LogDensity shares(double* joint, Vec<double> weight, std::size_t components, const double* constant,
                         double* turned, double* mass) {
  Vec<double> v[kWide];
  Vec<double> top = splat(-std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < components; k += kWide) {
    load_columns(joint + k, components, v);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kWide; ++i) store(turned + (k + i) * kWide, v[i] += splat(constant[k + i]));
    const Vec<double> here = folded<true>(v);
    top = here > top ? here : top;
  }
  top = top - top == Vec<double>{} ? top : Vec<double>{};  // no component has a density here
  Vec<double> total = {};
  for (std::size_t k = 0; k < components; k += kWide) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kWide; ++i) {
      v[i] = exp_below_zero<double>(load(turned + (k + i) * kWide) - top);
      store(turned + (k + i) * kWide, v[i]);
    }
    total += folded<false>(v);
  }
  const Vec<double> factor = weight / total;
  for (std::size_t k = 0; k < components; k += kWide) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kWide; ++i) {
      const std::size_t at = (k + i) * kWide;
      v[i] = load(turned + at) * factor;
      store(mass + at, load(mass + at) + v[i]);
    }
    store_columns(joint + k, components, v);
  }
  return {top, total};
}

// Weights of `n` rows, 1 without any; none for the lanes beyond.
inline Vec<double> weights_of(const double* w, std::size_t n) {
  if (n == kWide) return w ? load(w) : splat(1.0);
  Vec<double> weight = {};
  for (std::size_t l = 0; l < n; ++l) weight[l] = w ? w[l] : 1.0;
  return weight;
}

// shares of the rows of a chunk; returns Σ ω log p. Where every row counts once, Σ log total is the logarithm of a
// product, of few enough numbers between 1 and the number of components to stay far from overflow.
template <class T>
double chunk_shares(const mixture::Leaf<T>& leaf, std::size_t first, std::size_t rows) {
  constexpr std::size_t factors = 12;
  const std::size_t d = leaf.shape.d, components = leaf.shape.components, ahead = first + mixture::kChunkRows;
  const double* w = leaf.w ? leaf.w + first : nullptr;
  double value = 0;
  for (std::size_t start = 0; start < rows; start += factors * kWide) {
    Vec<double> tops = {}, product = splat(1.0);
    const std::size_t end = rows - start < factors * kWide ? rows : start + factors * kWide;
    for (std::size_t i = start; i < end; i += kWide) {
      if (ahead + i + kWide <= leaf.n) {  // rows of the next chunk are on their way meanwhile
        const T* next = leaf.x + (ahead + i) * d;
        for (std::size_t j = 0; j < kWide * d; j += 64 / sizeof(T)) __builtin_prefetch(next + j);
      }
      const std::size_t here = end - i < kWide ? end - i : kWide;
      const Vec<double> weight = weights_of(w ? w + i : w, here);
      const LogDensity found =
          shares(leaf.joint + i * components, weight, components, leaf.constant, leaf.turned, leaf.mass);
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
    chunk_features(leaf, leaf.x + start * s.d, rows);
    for (std::size_t k = 0; k < s.components; k += panel) {
      product_panel<false>(rows, s.n_features, leaf.phi, s.features, leaf.coef + k, s.components, leaf.joint + k,
                           s.components, s.components - k < panel ? s.components - k : panel, false);
    }
    value += chunk_shares(leaf, start, rows);
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
