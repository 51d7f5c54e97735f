// Sorting floating-point numbers by digits.
//
// A number becomes an unsigned key of its width in the same order: the sign bit is set for numbers ≥ 0, all bits are
// turned for numbers < 0. Keys are sorted by digits from the lowest; that is stable, and digits that all keys share
// cost nothing but their count.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace surefit::radix {

template <class T>
using Key = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
constexpr Key<T> kSign = Key<T>{1} << (8 * sizeof(T) - 1);

// Unsigned numbers in the order of the values; −0 is 0, all NaN are the largest.
template <class T>
Key<T> key_of(T value) {
  if (std::isnan(value)) return static_cast<Key<T>>(~Key<T>{0});
  const Key<T> bits = std::bit_cast<Key<T>>(value + T{0});  // −0 + 0 = 0
  return bits & kSign<T> ? static_cast<Key<T>>(~bits) : static_cast<Key<T>>(bits | kSign<T>);
}

// The number that has this key, which is not that of a NaN.
template <class T>
T value_of(Key<T> key) {
  return std::bit_cast<T>(key & kSign<T> ? static_cast<Key<T>>(key ^ kSign<T>) : static_cast<Key<T>>(~key));
}

constexpr int kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;

// Items with a member `key`, sorted by it, stable. out: `items` or `other`, whichever holds them in the end.
// Size is an unsigned type that counts up to n.
template <class Size, class Item>
Item* sorted(Item* items, Item* other, std::size_t n) {
  constexpr int kPasses = (8 * sizeof(items->key) + kDigitBits - 1) / kDigitBits;
  if (n == 0) return items;
  std::array<std::array<Size, kDigits>, kPasses> counts{};
  for (std::size_t i = 0; i < n; ++i) {
    for (int p = 0; p < kPasses; ++p) ++counts[p][(items[i].key >> (p * kDigitBits)) & (kDigits - 1)];
  }
  for (int p = 0; p < kPasses; ++p) {
    auto& start = counts[p];
    const int shift = p * kDigitBits;
    if (start[(items[0].key >> shift) & (kDigits - 1)] == n) continue;
    Size sum = 0;
    for (Size& s : start) {
      const Size count = s;
      s = sum;
      sum += count;
    }
    for (std::size_t i = 0; i < n; ++i) other[start[(items[i].key >> shift) & (kDigits - 1)]++] = items[i];
    std::swap(items, other);
  }
  return items;
}

}  // namespace surefit::radix
