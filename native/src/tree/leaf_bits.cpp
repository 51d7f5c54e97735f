#include "leaf_bits.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using trees::BitTest;
using trees::kBitRows;

constexpr std::size_t kLanes = 16, kVectors = kBitRows / kLanes;
typedef std::int32_t Bits __attribute__((vector_size(4 * kLanes)));
typedef std::uint16_t Ranks __attribute__((vector_size(2 * kLanes)));
typedef float Floats __attribute__((vector_size(4 * kLanes)));

SUREFIT_INLINE Bits widened(const std::uint16_t* at) {
  Ranks ranks;
  __builtin_memcpy(&ranks, at, sizeof ranks);
  return __builtin_convertvector(ranks, Bits);
}

// The place of the lowest one, from the exponent of that power of two as a float.
SUREFIT_INLINE Bits lowest(Bits bits) {
  const Floats power = __builtin_convertvector(bits & -bits, Floats);
  return (((Bits)power >> 23) & 255) - 127;
}

void leaves(const BitTest* tests, std::size_t n_tests, const std::uint16_t* ranks, const std::uint16_t* missing_low,
            std::size_t n, std::int32_t* leaf) {
  for (std::size_t first = 0; first < n; first += kBitRows) {
    Bits left[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) left[v] = Bits{} - 1;
    for (std::size_t t = 0; t < n_tests; ++t) {
      const BitTest test = tests[t];
      const std::uint16_t* column = (test.missing_left ? missing_low : ranks) + test.column * n + first;
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Bits goes_right = widened(column + kLanes * v) > test.rank;
        left[v] &= ~goes_right | test.keeps;
      }
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
      const Bits place = lowest(left[v]);
      __builtin_memcpy(leaf + first + kLanes * v, &place, sizeof place);
    }
  }
}

}  // namespace

extern const trees::BitLoops leaf_bits{leaves};

}  // namespace surefit::SUREFIT_LEVEL
