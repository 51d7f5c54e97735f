#include "search/tiles.hpp"

#include "simd/lane_bits.hpp"

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
    if (bits_of<float>(some) == 0) continue;
    for (int r = 0; r < kRows; ++r) {
      t.masks[r] = 0;
      for (int v = 0; v < kVecs; ++v) {
        store(t.scores + r * kPanel + v * kWide, sum[r][v]);
        t.masks[r] |= std::uint64_t{bits_of<float>(sum[r][v] > splat(t.thresholds[r]))} << (v * kWide);
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
