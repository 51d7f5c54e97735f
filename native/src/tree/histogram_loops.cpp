#include "histogram_loops.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using namespace surefit::histogram;
using V = Vec<double>;
constexpr std::size_t kWide = static_cast<std::size_t>(kLanes<double>);
static_assert(kBins % kWide == 0);

// Cells are addressed by bytes: one shift and one addition for each of them.
template <class Cell>
SUREFIT_INLINE void add_to(char* feature, std::size_t bin, const Cell& added) {
  *reinterpret_cast<Cell*>(feature + bin * sizeof(Cell)) += added;
}

template <class Kind>
void fill(const std::uint8_t* bins, std::size_t d, const std::uint32_t* rows, std::size_t lo, std::size_t hi,
          const typename Kind::Row* statistics, int shift, typename Kind::Cell* cells) {
  using Cell = typename Kind::Cell;
  constexpr std::size_t kAhead = 16;  // rows are fetched from memory this far ahead of their use
  constexpr std::size_t kFeature = kBins * sizeof(Cell);
  for (std::size_t i = lo; i < hi; ++i) {
    const std::size_t row = rows ? rows[i] : i;
    if (rows && i + kAhead < hi) {
      const std::size_t next = rows[i + kAhead];
      const std::uint8_t* first = bins + next * d;
      __builtin_prefetch(first);
      for (std::size_t byte = 63; byte < d; byte += 64) __builtin_prefetch(first + byte);
      __builtin_prefetch(first + d - 1);
      __builtin_prefetch(statistics + next);
    }
    const Cell added = Kind::cell(statistics[row], shift);
    const std::uint8_t* bin = bins + row * d;
    char* feature = reinterpret_cast<char*>(cells);
    std::size_t j = 0;
    for (; j + 4 <= d; j += 4, feature += 4 * kFeature) {
      add_to(feature, bin[j], added);
      add_to(feature + kFeature, bin[j + 1], added);
      add_to(feature + 2 * kFeature, bin[j + 2], added);
      add_to(feature + 3 * kFeature, bin[j + 3], added);
    }
    for (; j < d; ++j, feature += kFeature) add_to(feature, bin[j], added);
  }
}

// Sums run along the bins first, so that the divisions are work for vectors.
template <class Kind>
void scores(const typename Kind::Cell* cells, const typename Kind::Cell& start, std::size_t n, const Grid& grid,
            const Sums& all, const Limits& limits, double* score) {
  alignas(kVectorBytes) double g[kBins], h[kBins], c[kBins];
  typename Kind::Cell left = start;
  for (std::size_t b = 0; b < n; ++b) {
    left += cells[b];
    const Sums s = Kind::sums(left, grid);
    g[b] = s.g;
    h[b] = s.h;
    c[b] = s.c;
  }
  for (std::size_t b = n; b % kWide; ++b) g[b] = h[b] = c[b] = 0;
  const double least = limits.min_weight;
  for (std::size_t b = 0; b < n; b += kWide) {
    const V lg = load(g + b), lh = load(h + b), lc = load(c + b);
    const V rg = all.g - lg, rh = all.h - lh, rc = all.c - lc;
    const V value = lg * lg / (lh + limits.l2) + rg * rg / (rh + limits.l2);
    const auto allowed = (lc >= least) & (lh >= kLeastHessian) & (rc >= least) & (rh >= kLeastHessian);
    store(score + b, allowed ? value : splat(-__builtin_inf()));
  }
}

double largest(const double* v, std::size_t n) {
  V most{};
  std::size_t i = 0;
  for (; i + kWide <= n; i += kWide) {
    const V x = load(v + i), size = x < 0.0 ? -x : x;
    most = size > most ? size : most;
  }
  double out = 0;
  for (std::size_t l = 0; l < kWide; ++l) out = most[l] > out ? most[l] : out;
  for (; i < n; ++i) out = __builtin_fabs(v[i]) > out ? __builtin_fabs(v[i]) : out;
  return out;
}

// The whole number next to v, of two the even one, for |v| ≤ 2^31: adding 1.5 · 2^52 rounds.
SUREFIT_INLINE std::int32_t whole(double v) {
  constexpr double kMagic = 6755399441055744.0;
  return static_cast<std::int32_t>((v + kMagic) - kMagic);
}

void pairs(const double* g, const double* h, std::size_t n, double per_g, double per_h, Pair* out) {
  if (h == nullptr) {
    for (std::size_t i = 0; i < n; ++i) out[i] = {whole(g[i] * per_g), 1};
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    out[i] = {whole(g[i] * per_g), static_cast<std::uint32_t>(whole(h[i] * per_h))};
  }
}

template <class Kind>
constexpr KindLoops<Kind> kLoops{fill<Kind>, scores<Kind>};

}  // namespace

extern const histogram::Loops histogram_loops{kLoops<Same>, kLoops<Counted>, kLoops<Three>, largest, pairs};

}  // namespace surefit::SUREFIT_LEVEL
