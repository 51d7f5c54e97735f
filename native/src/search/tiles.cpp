#include "search/tiles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "surefit/fold.hpp"
#include "surefit/parallel.hpp"

namespace surefit::search {
namespace {

constexpr std::size_t kChunkNumbers = std::size_t{1} << 16;
constexpr std::size_t kMeanRows = 4096;

// The mean of each column, or the first row where that is beyond floating point: any center is right, a good one is fast.
template <class T>
std::vector<double> center_of(const DenseRows<T>& rows, int n_threads) {
  const auto sums = fold_leaves(
      rows.n, kMeanRows, n_threads,
      [&](std::size_t lo, std::size_t hi, int) {
        std::vector<double> sum(rows.d, 0.0);
        for (std::size_t i = lo; i < hi; ++i) add_to(rows.row(i), 1.0, sum.data());
        return sum;
      },
      [](std::vector<double>& left, const std::vector<double>& right) {
        for (std::size_t j = 0; j < left.size(); ++j) left[j] += right[j];
      });
  std::vector<double> center(rows.d);
  for (std::size_t j = 0; j < rows.d; ++j) {
    center[j] = sums[j] / static_cast<double>(rows.n);
    if (!std::isfinite(center[j])) center[j] = static_cast<double>(rows.x[j]);
  }
  return center;
}

// The largest |x - center| √w.
template <class T>
double spread_of(const DenseRows<T>& rows, const std::vector<double>& center, const std::vector<double>& factor,
                 int n_threads) {
  return fold_leaves(
      rows.n, kMeanRows, n_threads,
      [&](std::size_t lo, std::size_t hi, int) {
        double most = 0;
        for (std::size_t i = lo; i < hi; ++i) {
          const T* x = rows.x + i * rows.d;
          for (std::size_t j = 0; j < rows.d; ++j) {
            const double size = std::fabs((static_cast<double>(x[j]) - center[j]) * factor[j]);
            most = size > most ? size : most;
          }
        }
        return most;
      },
      [](double& left, double right) { left = std::max(left, right); });
}

// Rows of one panel, side by side; returns the largest norm.
template <class T>
double pack(const DenseRows<T>& rows, std::size_t p, Tiles& tiles) {
  const std::size_t d = tiles.d, width = tiles.panel;
  float* panel = tiles.packed.data() + p * d * width;
  double largest = 0;
  for (std::size_t l = 0; l < width; ++l) {
    const std::size_t i = p * width + l;
    if (i >= rows.n) {
      tiles.offsets[i] = -std::numeric_limits<float>::infinity();
      continue;
    }
    double square = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const double moved = (static_cast<double>(rows.x[i * d + j]) - tiles.center[j]) * tiles.factor[j];
      const float value = static_cast<float>(moved);
      panel[j * width + l] = value;
      square += static_cast<double>(value) * static_cast<double>(value);
    }
    tiles.offsets[i] = static_cast<float>(-0.5 * square);
    largest = std::max(largest, std::sqrt(square));
  }
  return largest;
}

}  // namespace

template <class T>
Tiles build_tiles(const DenseRows<T>& rows, const double* weights, int n_threads) {
  Tiles tiles;
  tiles.n = rows.n;
  tiles.d = rows.d;
  n_threads = threads_for(static_cast<double>(rows.entries()) * 4 * kScalarNs, n_threads);
  tiles.center = center_of(rows, n_threads);
  tiles.factor.assign(rows.d, 1.0);
  for (std::size_t j = 0; weights && j < rows.d; ++j) tiles.factor[j] = std::sqrt(weights[j]);
  const double spread = spread_of(rows, tiles.center, tiles.factor, n_threads);
  if (!(spread <= 1e100) || (spread < 1e-100 && spread > 0)) throw std::domain_error("the spread is beyond 1e±100");
  tiles.scale = spread > 0 ? std::ldexp(1.0, -std::ilogb(spread)) : 1.0;
  for (double& factor : tiles.factor) factor *= tiles.scale;
  tiles.panel = SUREFIT_TABLE(search_tile_loops).panel;
  const std::size_t n_panels = leaves_of(rows.n, tiles.panel);
  tiles.chunk = std::max<std::size_t>(1, kChunkNumbers / (std::max<std::size_t>(rows.d, 1) * tiles.panel));
  tiles.packed.reset(n_panels * tiles.panel * rows.d);
  tiles.offsets.reset(n_panels * tiles.panel);
  tiles.norms.assign(leaves_of(n_panels, tiles.chunk), 0.0);
  parallel_for(tiles.norms.size(), n_threads, [&](std::size_t c, int) {
    for (std::size_t p = c * tiles.chunk; p < std::min((c + 1) * tiles.chunk, n_panels); ++p) {
      tiles.norms[c] = std::max(tiles.norms[c], pack(rows, p, tiles));
    }
  });
  return tiles;
}

template Tiles build_tiles(const DenseF32&, const double*, int);
template Tiles build_tiles(const DenseF64&, const double*, int);

}  // namespace surefit::search
