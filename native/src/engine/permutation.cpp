#include "permutation.hpp"

namespace surefit {
namespace {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;

std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

struct Stream {
  std::uint64_t state;

  std::uint64_t next() { return mix(state += kGolden); }

  // The upper half of bits · m is uniform on 0 … m-1 once lower halves below 2^64 mod m are drawn again.
  std::uint64_t below(std::uint64_t m) {
    unsigned __int128 product = static_cast<unsigned __int128>(next()) * m;
    if (static_cast<std::uint64_t>(product) < m) {
      const std::uint64_t refused = (0 - m) % m;
      while (static_cast<std::uint64_t>(product) < refused) product = static_cast<unsigned __int128>(next()) * m;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }
};

}  // namespace

void permutation(std::size_t n, std::uint64_t seed, std::uint64_t epoch, std::uint64_t window, std::int64_t* out) {
  Stream stream{mix(mix(mix(seed) + epoch) + window)};
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t j = stream.below(i + 1);
    if (j != i) out[i] = out[j];
    out[j] = static_cast<std::int64_t>(i);
  }
}

}  // namespace surefit
