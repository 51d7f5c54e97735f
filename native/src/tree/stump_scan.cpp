#include "tree/stump_scan.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using V = Vec<double>;
constexpr std::size_t kWide = static_cast<std::size_t>(kLanes<double>);
constexpr std::size_t kBlock = 256;
constexpr double kInfinite = __builtin_inf();

// (L − D)(L + D) / 2L + (R − F)(R + F) / 2R over one denominator, with R = T − L and F = E − D.
inline V impurity_of(V L, V D, V T, V E) {
  const V R = T - L, F = E - D;
  const V both = ((L - D) * (L + D)) * R + ((R - F) * (R + F)) * L;
  const V value = both / (2.0 * L * R);
  const V from_zero = value > 0.0 ? value : V{};
  return (L > 0.0) & (R > 0.0) ? from_zero : splat(kInfinite);
}

constexpr double kPenalty[2] = {kInfinite, 0.0};  // a threshold fits behind complements only

// The sums of one column up to some place, and the impurities of the splits of a block.
struct Column {
  const std::int32_t* order;
  double L = 0, D = 0;
  V least = splat(kInfinite);
  alignas(kVectorBytes) double total[kBlock], difference[kBlock], impurity[kBlock];

  SUREFIT_INLINE void add(std::size_t from, std::size_t i, const double* signed_w) {
    const std::int32_t entry = order[from + i];
    const double s = signed_w[entry ^ (entry >> 31)];
    L += __builtin_fabs(s);
    D += s;
    total[i] = L;
    difference[i] = D;
    impurity[i] = kPenalty[static_cast<std::uint32_t>(entry) >> 31];
  }

  SUREFIT_INLINE void finish_block(std::size_t count, double T, double E) {
    for (std::size_t i = count; i % kWide; ++i) total[i] = difference[i] = 1.0, impurity[i] = kInfinite;
    for (std::size_t i = 0; i < count; i += kWide) {
      const V here = load(impurity + i) + impurity_of(load(total + i), load(difference + i), splat(T), splat(E));
      store(impurity + i, here);
      least = here < least ? here : least;
    }
  }

  SUREFIT_INLINE double least_of_lanes() const {
    double best = kInfinite;
    for (std::size_t l = 0; l < kWide; ++l) best = least[l] < best ? least[l] : best;
    return best;
  }
};

SUREFIT_INLINE std::size_t block_at(std::size_t from, std::size_t n) { return n - from < kBlock ? n - from : kBlock; }

// Sums run along the column, in blocks, so that the impurities of a block are work for vectors.
stumps::Found two_classes(const std::int32_t* order, std::size_t n, const double* signed_w, double T, double E,
                          double enough) {
  Column column;
  column.order = order;
  for (std::size_t from = 0; from < n; from += kBlock) {
    const std::size_t count = block_at(from, n);
    for (std::size_t i = 0; i < count; ++i) column.add(from, i, signed_w);
    column.finish_block(count, T, E);
    if (enough == -kInfinite) continue;
    for (std::size_t i = 0; i < count; ++i) {
      if (column.impurity[i] <= enough) return {column.impurity[i], from + i};
    }
  }
  return {column.least_of_lanes(), n};
}

void least_of_columns(const std::int32_t* order, std::size_t n, const double* signed_w, double T, double E,
                      double* least) {
  Column columns[stumps::kTogether];
  for (std::size_t k = 0; k < stumps::kTogether; ++k) columns[k].order = order + k * n;
  for (std::size_t from = 0; from < n; from += kBlock) {
    const std::size_t count = block_at(from, n);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < stumps::kTogether; ++k) columns[k].add(from, i, signed_w);
    }
    for (Column& column : columns) column.finish_block(count, T, E);
  }
  for (std::size_t k = 0; k < stumps::kTogether; ++k) least[k] = columns[k].least_of_lanes();
}

// The weights of the classes to the left run along the column as one vector; divisions are made block by block.
// Impurities are W − Σ c² / W of both sides, the squares summed in the order of the classes.
typedef double Weights __attribute__((vector_size(stumps::kFewClasses * sizeof(double))));

stumps::Found few_classes(const std::int32_t* order, std::size_t n, const std::int32_t* codes, const double* w,
                          const double* totals, double T, double enough) {
  Weights one[stumps::kFewClasses] = {}, all, left{};
  for (std::size_t c = 0; c < stumps::kFewClasses; ++c) {
    one[c][c] = 1;
    all[c] = totals[c];
  }
  alignas(kVectorBytes) double weight[kBlock], squares_left[kBlock], squares_right[kBlock], impurity[kBlock];
  double L = 0;
  V least = splat(kInfinite);
  for (std::size_t from = 0; from < n; from += kBlock) {
    const std::size_t count = block_at(from, n);
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t entry = order[from + i], row = entry ^ (entry >> 31);
      left += one[codes[row]] * w[row];
      weight[i] = L += w[row];
      const Weights right = all - left, l = left * left, r = right * right;
      double on_left = l[0], on_right = r[0];
      for (std::size_t c = 1; c < stumps::kFewClasses; ++c) on_left += l[c], on_right += r[c];
      squares_left[i] = on_left;
      squares_right[i] = on_right;
      impurity[i] = kPenalty[static_cast<std::uint32_t>(entry) >> 31];
    }
    for (std::size_t i = count; i % kWide; ++i) weight[i] = squares_left[i] = squares_right[i] = impurity[i] = kInfinite;
    for (std::size_t i = 0; i < count; i += kWide) {
      const V here = load(weight + i), rest = T - here;
      const V value = T - (load(squares_left + i) / here + load(squares_right + i) / rest);
      const V found = (here > 0.0) & (rest > 0.0) ? load(impurity + i) + value : splat(kInfinite);
      store(impurity + i, found);
      least = found < least ? found : least;
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
const stumps::ScanTable stump_scan = {two_classes, least_of_columns, few_classes};

}  // namespace surefit::SUREFIT_LEVEL
