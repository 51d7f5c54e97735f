// Rows of one block that are near a point. Compiled without contraction: every level gives the same sums.
#include "dbscan_near.hpp"

#include "dbscan_distance.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using dbscan::Block;
using dbscan::Near;
using dbscan::NearTable;
using dbscan::Norm;

constexpr std::size_t kChunk = 16;  // rows that are summed side by side

template <Norm norm, std::size_t D>
SUREFIT_INLINE void sums(Block b, std::size_t first, const double* q, std::size_t d, double* __restrict sum) {
  for (std::size_t k = 0; k < kChunk; ++k) sum[k] = 0;
  for (std::size_t j = 0; j < (D ? D : d); ++j) {
    const double* x = b.x + j * b.stride + first;
    const double at = q[j];
    for (std::size_t k = 0; k < kChunk; ++k) sum[k] = dbscan::plus<norm>(sum[k], x[k] - at);
  }
}

template <Norm norm, std::size_t D>
SUREFIT_INLINE bool is_near(Block b, std::size_t k, const double* q, std::size_t d, double limit) {
  double sum = 0;
  for (std::size_t j = 0; j < (D ? D : d); ++j) sum = dbscan::plus<norm>(sum, b.x[j * b.stride + k] - q[j]);
  return sum <= limit;
}

template <Norm norm, std::size_t D>
std::size_t count(Block b, std::size_t n, const double* q, std::size_t d, double limit, std::size_t enough) {
  std::size_t found = 0, k = 0;
  double sum[kChunk];
  for (; k + kChunk <= n; k += kChunk) {
    sums<norm, D>(b, k, q, d, sum);
    std::size_t here = 0;
    for (std::size_t l = 0; l < kChunk; ++l) here += sum[l] <= limit;
    found += here;
    if (found >= enough) return found;
  }
  for (; k < n; ++k) found += is_near<norm, D>(b, k, q, d, limit);
  return found;
}

template <Norm norm, std::size_t D>
std::size_t next(Block b, std::size_t from, std::size_t n, const double* q, std::size_t d, double limit) {
  std::size_t k = from;
  double sum[kChunk];
  for (; k + kChunk <= n; k += kChunk) {
    sums<norm, D>(b, k, q, d, sum);
    bool any = false;
    for (std::size_t l = 0; l < kChunk; ++l) any |= sum[l] <= limit;
    if (!any) continue;
    for (std::size_t l = 0; l < kChunk; ++l) {
      if (sum[l] <= limit) return k + l;
    }
  }
  for (; k < n; ++k) {
    if (is_near<norm, D>(b, k, q, d, limit)) return k;
  }
  return n;
}

template <Norm norm, std::size_t D>
constexpr Near loops() {
  return {count<norm, D>, next<norm, D>};
}

#define SUREFIT_NORM(norm) {loops<norm, 0>(), loops<norm, 1>(), loops<norm, 2>(), loops<norm, 3>(), loops<norm, 4>()}

}  // namespace

extern const NearTable dbscan_near;
const NearTable dbscan_near{
    {SUREFIT_NORM(Norm::manhattan), SUREFIT_NORM(Norm::euclidean), SUREFIT_NORM(Norm::chebyshev)}};

}  // namespace surefit::SUREFIT_LEVEL
