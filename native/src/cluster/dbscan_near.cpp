// Rows of one block that are near a point. Compiled without contraction: every level gives the same sums.
#include "dbscan_near.hpp"

#include "dbscan_distance.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using dbscan::Block;
using dbscan::Near;
using dbscan::NearTable;
using dbscan::Norm;

// Rows that are summed side by side: many at a time, and few at the end of a block, where rows of other blocks or the
// padding may be among them and do not count.
constexpr std::size_t kMany = 16, kFew = dbscan::kPadding;

template <Norm norm, std::size_t D, std::size_t Rows>
SUREFIT_INLINE void sums(Block b, std::size_t first, const double* q, std::size_t d, double* __restrict sum) {
  for (std::size_t k = 0; k < Rows; ++k) sum[k] = 0;
  for (std::size_t j = 0; j < (D ? D : d); ++j) {
    const double* x = b.x + j * b.stride + first;
    const double at = q[j];
    for (std::size_t k = 0; k < Rows; ++k) sum[k] = dbscan::plus<norm>(sum[k], x[k] - at);
  }
}

template <Norm norm, std::size_t D>
std::size_t count(Block b, std::size_t n, const double* q, std::size_t d, double limit, std::size_t enough) {
  std::size_t found = 0, k = 0;
  double sum[kMany];
  for (; k + kMany <= n; k += kMany) {
    sums<norm, D, kMany>(b, k, q, d, sum);
    std::size_t here = 0;
    for (std::size_t l = 0; l < kMany; ++l) here += sum[l] <= limit;
    found += here;
    if (found >= enough) return found;
  }
  for (; k < n; k += kFew) {
    sums<norm, D, kFew>(b, k, q, d, sum);
    std::size_t here = 0;
    for (std::size_t l = 0; l < kFew; ++l) here += (sum[l] <= limit) & (k + l < n);
    found += here;
  }
  return found;
}

template <Norm norm, std::size_t D>
std::size_t next(Block b, std::size_t from, std::size_t n, const double* q, std::size_t d, double limit) {
  double sum[kMany];
  std::size_t k = from;
  for (; k + kMany <= n; k += kMany) {
    sums<norm, D, kMany>(b, k, q, d, sum);
    bool any = false;
    for (std::size_t l = 0; l < kMany; ++l) any |= sum[l] <= limit;
    if (any) break;
  }
  for (; k < n; k += kFew) {
    sums<norm, D, kFew>(b, k, q, d, sum);
    for (std::size_t l = 0; l < kFew; ++l) {
      if (sum[l] <= limit) return k + l < n ? k + l : n;
    }
  }
  return n;
}

template <Norm norm, std::size_t D>
std::size_t list(Block b, std::size_t n, const double* q, std::size_t d, double limit, std::uint32_t* rows) {
  double sum[kFew];
  std::size_t found = 0;
  for (std::size_t k = 0; k < n; k += kFew) {
    sums<norm, D, kFew>(b, k, q, d, sum);
    for (std::size_t l = 0; l < kFew; ++l) {
      rows[found] = static_cast<std::uint32_t>(k + l);
      found += (sum[l] <= limit) & (k + l < n);
    }
  }
  return found;
}

template <Norm norm, std::size_t D>
constexpr Near loops() {
  return {count<norm, D>, next<norm, D>, list<norm, D>};
}

#define SUREFIT_NORM(norm) {loops<norm, 0>(), loops<norm, 1>(), loops<norm, 2>(), loops<norm, 3>(), loops<norm, 4>()}

}  // namespace

extern const NearTable dbscan_near;
const NearTable dbscan_near{
    {SUREFIT_NORM(Norm::manhattan), SUREFIT_NORM(Norm::euclidean), SUREFIT_NORM(Norm::chebyshev)}};

}  // namespace surefit::SUREFIT_LEVEL
