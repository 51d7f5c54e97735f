// A group of unknowns is held in registers: it loses the products with the unknowns before it, and is then divided by
// its own triangle.
#include "kernels/band_lengths.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using V = Vec<double>;
constexpr int kVecs = 3, kRows = kVectorRegisters >= 32 ? 8 : 4;
constexpr std::size_t kLane = kLanes<double>, kColumns = kVecs * kLane;

inline void solve_group(const double* l, std::size_t width, const double* v, std::size_t stride, std::size_t present,
                        double* x, V* lengths) {
  V rest[kRows][kVecs] = {};
  for (std::size_t k = 0; k < width; ++k, l += kRows, x += kColumns) {
    V before[kVecs];
#pragma GCC unroll 3
    for (int i = 0; i < kVecs; ++i) before[i] = load(x + i * kLane);
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const V factor = splat(l[r]);
#pragma GCC unroll 3
      for (int i = 0; i < kVecs; ++i) rest[r][i] += factor * before[i];
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
    if (static_cast<std::size_t>(r) < present) {
#pragma GCC unroll 3
      for (int i = 0; i < kVecs; ++i) rest[r][i] = load(v + r * stride + i * kLane) - rest[r][i];
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r, l += kRows) {
    const V inverse = splat(l[r]);
#pragma GCC unroll 3
    for (int i = 0; i < kVecs; ++i) {
      const V solved = rest[r][i] * inverse;
      lengths[i] += solved * solved;
      store(x + r * kColumns + i * kLane, solved);
      rest[r][i] = solved;
    }
#pragma GCC unroll 8
    for (int s = r + 1; s < kRows; ++s) {
      const V factor = splat(l[s]);
#pragma GCC unroll 3
      for (int i = 0; i < kVecs; ++i) rest[s][i] -= factor * rest[r][i];
    }
  }
}

void solve(const band_lengths::Share& share) {
  V lengths[kVecs];
  for (int i = 0; i < kVecs; ++i) lengths[i] = load(share.lengths + i * kLane);
  const std::size_t size = (share.width + kRows) * kRows;
  for (std::size_t g = 0; g < share.groups; ++g) {
    const std::size_t first = g * kRows, present = share.present > first ? share.present - first : 0;
    solve_group(share.packed + g * size, share.width, share.v + first * share.stride, share.stride, present,
                share.x + first * kColumns, lengths);
  }
  for (int i = 0; i < kVecs; ++i) store(share.lengths + i * kLane, lengths[i]);
}

}  // namespace

extern const band_lengths::Loops band_loops;
const band_lengths::Loops band_loops = {kColumns, kRows, solve};

}  // namespace surefit::SUREFIT_LEVEL
