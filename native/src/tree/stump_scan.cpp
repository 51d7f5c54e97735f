#include "tree/stump_scan.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using V = Vec<double>;
constexpr std::size_t kWide = static_cast<std::size_t>(kLanes<double>);
constexpr std::size_t kBlock = 512;
constexpr double kInfinite = __builtin_inf();

// (L − D)(L + D) / 2L + (R − F)(R + F) / 2R over one denominator, with R = T − L and F = E − D.
inline V impurity_of(V L, V D, V T, V E) {
  const V R = T - L, F = E - D;
  const V both = ((L - D) * (L + D)) * R + ((R - F) * (R + F)) * L;
  const V value = both / (2.0 * L * R);
  const V from_zero = value > 0.0 ? value : V{};
  return (L > 0.0) & (R > 0.0) ? from_zero : splat(kInfinite);
}

// Sums run along the column, in blocks, so that the impurities of a block are work for vectors.
stumps::Found two_classes(const std::int32_t* order, std::size_t n, const double* signed_w, double T, double E,
                          double enough) {
  const double penalty[2] = {kInfinite, 0.0};  // a threshold fits behind complements only
  double total[kBlock], difference[kBlock], impurity[kBlock];
  double L = 0, D = 0;
  V least = splat(kInfinite);
  for (std::size_t from = 0; from < n; from += kBlock) {
    const std::size_t count = n - from < kBlock ? n - from : kBlock;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t entry = order[from + i];
      const double s = signed_w[entry ^ (entry >> 31)];
      L += __builtin_fabs(s);
      D += s;
      total[i] = L;
      difference[i] = D;
      impurity[i] = penalty[static_cast<std::uint32_t>(entry) >> 31];
    }
    for (std::size_t i = count; i % kWide; ++i) total[i] = difference[i] = 1.0, impurity[i] = kInfinite;
    for (std::size_t i = 0; i < count; i += kWide) {
      const V here = load(impurity + i) + impurity_of(load(total + i), load(difference + i), splat(T), splat(E));
      store(impurity + i, here);
      least = here < least ? here : least;
    }
    if (enough == -kInfinite) continue;
    for (std::size_t i = 0; i < count; ++i) {
      if (impurity[i] <= enough) return {impurity[i], from + i};
    }
  }
  double best = kInfinite;
  for (std::size_t l = 0; l < kWide; ++l) best = least[l] < best ? least[l] : best;
  return {best, n};
}

}  // namespace

extern const stumps::ScanTable stump_scan;
const stumps::ScanTable stump_scan = {two_classes};

}  // namespace surefit::SUREFIT_LEVEL
