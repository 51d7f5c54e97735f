#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit {

// A permutation of 0 … n-1 that depends on (seed, epoch, window) alone, all n! equally likely.
//
// Fisher and Yates: for i = 0, 1, … put i in the place of a random one of the first i + 1, and that one last. The random
// numbers are SplitMix64's, started at mix(mix(mix(seed) + epoch) + window); Lemire's method makes them < i + 1.
void permutation(std::size_t n, std::uint64_t seed, std::uint64_t epoch, std::uint64_t window, std::int64_t* out);

}  // namespace surefit
