#include "search/tiles.hpp"

#if defined(SUREFIT_LEVEL_v3) || defined(SUREFIT_LEVEL_v4)
#include <immintrin.h>
#endif

namespace surefit::SUREFIT_LEVEL {
namespace {

using V = Vec<float>;
constexpr int kWide = kLanes<float>;

// kRows × kVecs sums, kVecs numbers of the panel and one of a query fill the registers.
#if defined(SUREFIT_LEVEL_v4)
constexpr int kRows = 8, kVecs = 3;
#else
constexpr int kRows = 6, kVecs = 2;
#endif
constexpr std::size_t kPanel = kVecs * kWide;
static_assert(kPanel <= search::kMostPanel && kRows <= static_cast<int>(search::kMostGroup));

inline std::uint64_t bits_of(decltype(V{} < V{}) mask) {
#if defined(SUREFIT_LEVEL_v4)
  __m512i m;
  std::memcpy(&m, &mask, sizeof m);
  return _mm512_movepi32_mask(m);
#elif defined(SUREFIT_LEVEL_v3)
  __m256 m;
  std::memcpy(&m, &mask, sizeof m);
  return static_cast<std::uint64_t>(static_cast<unsigned>(_mm256_movemask_ps(m)));
#else
  std::uint64_t bits = 0;
  for (int l = 0; l < kWide; ++l) bits |= mask[l] ? std::uint64_t{1} << l : 0u;
  return bits;
#endif
}

std::size_t scan(const search::TileScan& t) {
  for (std::size_t p = t.first; p < t.end; ++p) {
    const float* panel = t.packed + p * t.d * kPanel;
    V sum[kRows][kVecs];
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) {
      const V offset = load(t.offsets + p * kPanel + v * kWide);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) sum[r][v] = offset;
    }
    const float* query = t.queries;
    for (const float* end = panel + t.d * kPanel; panel != end; panel += kPanel, query += kRows) {
      V b[kVecs];
#pragma GCC unroll 4
      for (int v = 0; v < kVecs; ++v) b[v] = load(panel + v * kWide);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const V x = splat(query[r]);
#pragma GCC unroll 4
        for (int v = 0; v < kVecs; ++v) sum[r][v] += x * b[v];
      }
    }
    decltype(V{} < V{}) some{};
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const V limit = splat(t.thresholds[r]);
#pragma GCC unroll 4
      for (int v = 0; v < kVecs; ++v) some |= sum[r][v] > limit;
    }
    if (bits_of(some) == 0) continue;
    for (int r = 0; r < kRows; ++r) {
      t.masks[r] = 0;
      for (int v = 0; v < kVecs; ++v) {
        store(t.scores + r * kPanel + v * kWide, sum[r][v]);
        t.masks[r] |= bits_of(sum[r][v] > splat(t.thresholds[r])) << (v * kWide);
      }
    }
    return p;
  }
  return t.end;
}

}  // namespace

extern const search::TileLoops search_tile_loops;
const search::TileLoops search_tile_loops{kPanel, kRows, scan};

}  // namespace surefit::SUREFIT_LEVEL
