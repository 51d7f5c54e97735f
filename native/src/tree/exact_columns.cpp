#include "tree/exact_columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <type_traits>

#include "surefit/parallel.hpp"

namespace surefit::exact_tree {
namespace {

template <class T>
using Key = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// Unsigned numbers in the order of the values; −0 is 0, all NaN are the largest.
template <class T>
Key<T> key_of(T value) {
  constexpr Key<T> kSign = Key<T>{1} << (8 * sizeof(T) - 1);
  if (std::isnan(value)) return static_cast<Key<T>>(~Key<T>{0});
  const Key<T> bits = std::bit_cast<Key<T>>(value + T{0});  // −0 + 0 = 0
  return bits & kSign ? static_cast<Key<T>>(~bits) : static_cast<Key<T>>(bits | kSign);
}

template <class T>
struct Item {
  Key<T> key;
  Row row;
};

constexpr int kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr std::size_t kFewRows = 256;

// Stable, by digits from the lowest; digits that all keys share are passed over.
template <class T>
Item<T>* radix_sorted(Item<T>* items, Item<T>* other, std::size_t n) {
  constexpr int kPasses = (8 * sizeof(T) + kDigitBits - 1) / kDigitBits;
  std::array<std::array<Row, kDigits>, kPasses> counts{};
  for (std::size_t i = 0; i < n; ++i) {
    for (int p = 0; p < kPasses; ++p) ++counts[p][(items[i].key >> (p * kDigitBits)) & (kDigits - 1)];
  }
  for (int p = 0; p < kPasses; ++p) {
    auto& start = counts[p];
    const int shift = p * kDigitBits;
    if (start[(items[0].key >> shift) & (kDigits - 1)] == n) continue;
    Row sum = 0;
    for (Row& s : start) {
      const Row count = s;
      s = sum;
      sum += count;
    }
    for (std::size_t i = 0; i < n; ++i) other[start[(items[i].key >> shift) & (kDigits - 1)]++] = items[i];
    std::swap(items, other);
  }
  return items;
}

template <class T>
Item<T>* sorted(Item<T>* items, Item<T>* other, std::size_t n) {
  if (n > kFewRows) return radix_sorted<T>(items, other, n);
  std::sort(items, items + n, [](const Item<T>& a, const Item<T>& b) {
    return a.key < b.key || (a.key == b.key && a.row < b.row);
  });
  return items;
}

}  // namespace

template <class T>
void presort(const T* x, std::size_t n, std::size_t d, Row* lists, std::uint8_t* missing, int n_threads) {
  const std::size_t n_workers = static_cast<std::size_t>(std::max(n_threads, 1));
  std::unique_ptr<Item<T>[]> space(new Item<T>[2 * n * std::min(n_workers, std::max<std::size_t>(d, 1))]);
  parallel_for(d, n_threads, [&](std::size_t j, int thread) {
    Item<T>* items = space.get() + 2 * n * static_cast<std::size_t>(thread);
    for (std::size_t i = 0; i < n; ++i) items[i] = {key_of(x[i * d + j]), static_cast<Row>(i)};
    const Item<T>* s = sorted<T>(items, items + n, n);
    Row* list = lists + j * n;
    for (std::size_t i = 0; i < n; ++i) {
      list[i] = s[i].row | (i > 0 && s[i].key == s[i - 1].key ? 0 : kNew<Row>);
    }
    missing[j] = s[n - 1].key == static_cast<Key<T>>(~Key<T>{0});
  });
}

template void presort<float>(const float*, std::size_t, std::size_t, Row*, std::uint8_t*, int);
template void presort<double>(const double*, std::size_t, std::size_t, Row*, std::uint8_t*, int);

}  // namespace surefit::exact_tree
