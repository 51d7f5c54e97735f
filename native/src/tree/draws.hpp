// The draws of trees: counters turned into chance by SplitMix64's finalizer, so that a draw depends on the seed and on
// the place of the node in the tree, never on the order in which nodes are grown.
//
//   key(root) = mixed(seed + G),  key(left child) = mixed(key + G),  key(right child) = mixed(key + 2G)   (modulo 2⁶⁴)
#pragma once

#include <cstdint>

namespace surefit::draws {

constexpr std::uint64_t kGold = 0x9E3779B97F4A7C15ull;

constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

constexpr std::uint64_t root_key(std::uint64_t seed) { return mixed(seed + kGold); }
constexpr std::uint64_t left_key(std::uint64_t key) { return mixed(key + kGold); }
constexpr std::uint64_t right_key(std::uint64_t key) { return mixed(key + 2 * kGold); }

// Features are looked at in ascending order of this number.
constexpr std::uint64_t place_of_feature(std::uint64_t key, std::uint64_t feature) {
  return mixed(key + (feature + 3) * kGold);
}

// In [0, 1): where between the smallest and the largest value a random threshold lies.
constexpr double random_share(std::uint64_t key, std::uint64_t feature) {
  return static_cast<double>(mixed(key ^ mixed((feature + 3) * kGold)) >> 11) * 0x1p-53;
}

}  // namespace surefit::draws
