// The hash of a row of numbers that stand side by side: what canonical_loops.cpp provides for each vector level.
#pragma once

#include <cstddef>
#include <cstdint>

#include "surefit/simd.hpp"

namespace surefit::canonical {

// SplitMix64's finaliser.
SUREFIT_INLINE std::uint64_t scramble(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

// Of a number in a column; zeros have none.
SUREFIT_INLINE std::uint64_t entry_hash(double value, std::uint64_t column) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint64_t hash = scramble(bits + (column + 1) * 0x9E3779B97F4A7C15u);
  return value != 0 ? hash : 0;
}

// Σ entry_hash over n numbers
struct HashLoops {
  std::uint64_t (*single_row)(const float* row, std::size_t n);
  std::uint64_t (*double_row)(const double* row, std::size_t n);
};

}  // namespace surefit::canonical

SUREFIT_TABLES(canonical::HashLoops, hash_loops)
