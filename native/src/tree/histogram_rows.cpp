#include "histogram_rows.hpp"

#include <algorithm>
#include <cmath>

#include "histogram_loops.hpp"
#include "surefit/fold.hpp"

namespace surefit::histogram {
namespace {

constexpr std::size_t kRows = 8192;
constexpr std::size_t kMostCounted = std::size_t{1} << 22;

double largest(const double* v, std::size_t n, int n_threads) {
  if (v == nullptr) return 1;
  std::vector<double> most(leaves_of(n, kRows), 0.0);
  parallel_for(most.size(), n_threads, [&](std::size_t task, int) {
    const std::size_t lo = task * kRows;
    most[task] = SUREFIT_TABLE(histogram_loops).largest(v + lo, std::min(n - lo, kRows));
  });
  return *std::max_element(most.begin(), most.end());
}

int bits_of(double count) {
  int bits = 0;
  while (std::ldexp(1.0, bits) <= count) ++bits;
  return bits;
}

long long whole(double v) { return static_cast<long long>(std::nearbyint(v)); }

// The power of two u with largest / u ≤ 2^bits − 1 (about).
double unit(double largest, int bits) {
  if (largest == 0) return 1;
  int exponent;
  const double m = std::frexp(largest, &exponent);          // largest = m 2^exponent, ½ ≤ m < 1
  if (std::nearbyint(std::ldexp(m, bits)) >= std::ldexp(1.0, bits)) ++exponent;
  return std::ldexp(1.0, std::max(exponent - bits, -1000));
}

}  // namespace

BinnedRows::BinnedRows(const std::uint8_t* bins, std::size_t n, std::size_t d, bool columns, int n_threads)
    : n(n), d(d), bins(bins), has_missing(d, 0) {
  if (columns) columns_.reset(n * d, false);
  constexpr std::size_t kTile = 512;
  n_threads = threads_for(static_cast<double>(n) * static_cast<double>(d) * kScalarNs, n_threads);
  const std::size_t tiles = leaves_of(n, kTile);
  std::vector<std::uint8_t> missing(static_cast<std::size_t>(std::max(n_threads, 1)) * d, 0);
  parallel_for(tiles, n_threads, [&](std::size_t tile, int thread) {
    const std::size_t lo = tile * kTile, hi = std::min(n, lo + kTile);
    for (std::size_t j = 0; j < d; ++j) {
      std::uint8_t any = 0;
      for (std::size_t i = lo; i < hi; ++i) any |= static_cast<std::uint8_t>(bins[i * d + j] == kMissing);
      if (columns) {
        std::uint8_t* out = columns_.data() + j * n;
        for (std::size_t i = lo; i < hi; ++i) out[i] = bins[i * d + j];
      }
      missing[static_cast<std::size_t>(thread) * d + j] |= any;
    }
  });
  for (std::size_t i = 0; i < missing.size(); ++i) has_missing[i % d] |= missing[i];
}

Scale scale_of(const double* g, const double* h, const double* c, std::size_t n, double weight, int n_threads) {
  n_threads = threads_for(static_cast<double>(n) * 3, n_threads);
  return {static_cast<double>(n), weight, largest(g, n, n_threads), largest(h, n, n_threads), largest(c, n, n_threads)};
}

// Bits of the integers: those of all rows (or of their total weight) are left free for sums.
void Statistics::round(const double* g, const double* h, const double* c, std::size_t n, const Scale& scale,
                       int n_threads) {
  n_threads = threads_for(static_cast<double>(n) * 3, n_threads);
  form = c == nullptr && h == nullptr ? Form::same
         : c == nullptr && scale.n_rows < static_cast<double>(kMostCounted) ? Form::counted : Form::three;
  const std::size_t bytes = n * (form == Form::three ? sizeof(Four) : sizeof(Pair));
  if (memory_.size() != bytes) memory_.reset(bytes, false);
  const double total = c ? scale.weight : scale.n_rows;
  const int row_bits = bits_of(scale.n_rows), weight_bits = std::max(row_bits, bits_of(total));
  const int g_bits = std::min(30, 62 - weight_bits);
  const int h_bits = std::min(31, 62 - (total < static_cast<double>(kMostCounted) ? 2 : 1) * weight_bits);
  grid.shift = form == Form::counted ? row_bits : 0;
  const double unit_g = unit(scale.g, g_bits), unit_h = unit(scale.h, h_bits);
  const double most = scale.c;
  const double step_g = c ? unit(std::ldexp(most, g_bits), 62 - row_bits) : 1;
  const double step_h = c ? unit(std::ldexp(most, h_bits), 62 - row_bits) : 1;
  const double step_c = c ? unit(most, 62 - row_bits) : 1;
  grid.g = unit_g * step_g;
  grid.h = unit_h * step_h;
  grid.c = step_c;
  const double per_g = 1 / unit_g, per_h = 1 / unit_h, more_g = 1 / step_g, more_h = 1 / step_h, more_c = 1 / step_c;
  parallel_for(leaves_of(n, kRows), n_threads, [&](std::size_t task, int) {
    const std::size_t lo = task * kRows, hi = std::min(n, lo + kRows);
    if (form != Form::three) {
      Pair* out = reinterpret_cast<Pair*>(memory_.data()) + lo;
      SUREFIT_TABLE(histogram_loops).pairs(g + lo, h ? h + lo : nullptr, hi - lo, per_g, per_h, out);
      return;
    }
    for (std::size_t i = lo; i < hi; ++i) {
      const double weight = c ? c[i] : 1, gi = std::nearbyint(g[i] * per_g), hi = std::nearbyint((h ? h[i] : 1) * per_h);
      reinterpret_cast<Four*>(memory_.data())[i] = {Two{whole(weight * gi * more_g), whole(weight * hi * more_h)},
                                                    Two{whole(weight * more_c), 0}};
    }
  });
}

}  // namespace surefit::histogram
