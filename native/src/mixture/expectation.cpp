#include "mixture/expectation.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "mixture/expectation_leaf.hpp"
#include "surefit/aligned.hpp"
#include "surefit/fold.hpp"

namespace surefit::mixture {
namespace {

using Numbers = std::vector<double>;

// What a thread works in, zeros; all runs begin on a cache line.
struct Workspace {
  Workspace(const Shape& s, std::size_t lanes)
      : row(s.d + lanes),
        phi(kChunkRows * s.features + lanes),
        joint(kChunkRows * s.components),
        turned(s.components * lanes),
        sums(s.n_components * s.features),
        mass(s.components * lanes) {}
  Aligned<double> row, phi, joint, turned, sums, mass;
};

// Rows of `coef` are those of a component: n_features, and its constant.
struct Coefficients {
  Coefficients(const double* coef, const Shape& s) : of_features(s.n_features * s.components), constant(s.components) {
    std::fill_n(constant.data(), s.components, -std::numeric_limits<double>::infinity());
    for (std::size_t k = 0; k < s.n_components; ++k, coef += s.n_features + 1) {
      for (std::size_t j = 0; j < s.n_features; ++j) of_features[j * s.components + k] = coef[j];
      constant[k] = coef[s.n_features];
    }
  }
  Aligned<double> of_features, constant;  // n_features × components; −∞ for components that are padding
};

}  // namespace

template <class T>
void feature_sums(const DenseRows<T>& x, const double* w, const double* shift, const double* scale, const double* coef,
                  std::size_t n_components, bool full, std::size_t leaf_rows, int n_threads, double* sums) {
  const Loops& loops = SUREFIT_TABLE(mixture_loops);
  const auto padded = [&](std::size_t n) { return (n + loops.lanes - 1) / loops.lanes * loops.lanes; };
  const std::size_t p = features_of(x.d, full), size = n_components * p;
  const Shape shape{x.d, p - 1, n_components, padded(p - 1), padded(n_components), full};
  const Coefficients coefficients(coef, shape);
  n_threads = threads_for(2.0 * static_cast<double>(x.n) * static_cast<double>(size) * kVectorNs, n_threads);
  PerThread<Workspace> workspaces(n_threads);
  const auto leaf = [&](std::size_t lo, std::size_t hi, int thread) {
    Workspace& own = workspaces.of(thread, shape, loops.lanes);
    std::fill_n(own.sums.data(), own.sums.size(), 0.0);
    std::fill_n(own.mass.data(), own.mass.size(), 0.0);
    const Leaf<T> rows{.x = x.x + lo * x.d,
                       .n = hi - lo,
                       .w = w ? w + lo : nullptr,
                       .shift = shift,
                       .scale = scale,
                       .shape = shape,
                       .coef = coefficients.of_features.data(),
                       .constant = coefficients.constant.data(),
                       .row = own.row.data(),
                       .phi = own.phi.data(),
                       .joint = own.joint.data(),
                       .turned = own.turned.data(),
                       .sums = own.sums.data(),
                       .mass = own.mass.data()};
    Numbers out(size + 2);
    if constexpr (std::is_same_v<T, float>) {
      out[size] = loops.single_leaf(rows);
    } else {
      out[size] = loops.double_leaf(rows);
    }
    for (std::size_t k = 0; k < n_components; ++k) {
      std::copy_n(own.sums.data() + k * shape.features, p - 1, &out[k * p]);
      for (std::size_t l = 0; l < loops.lanes; ++l) out[k * p + p - 1] += own.mass[k * loops.lanes + l];
    }
    double total = 0;
    for (std::size_t i = lo; i < hi; ++i) total += w ? w[i] : 1.0;
    out[size + 1] = total;
    return out;
  };
  const auto merge = [](Numbers& left, const Numbers& right) {
    for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
  };
  const Numbers found = fold_leaves(x.n, leaf_rows, n_threads, leaf, merge);
  std::copy_n(found.data(), size + 2, sums);
}

#define SUREFIT_MIXTURE(T)                                                                                            \
  template void feature_sums(const DenseRows<T>&, const double*, const double*, const double*, const double*,         \
                             std::size_t, bool, std::size_t, int, double*);
SUREFIT_MIXTURE(float)
SUREFIT_MIXTURE(double)

}  // namespace surefit::mixture
