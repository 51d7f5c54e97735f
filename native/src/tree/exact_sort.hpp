// A column sorted in parts that fit into the cache.
//
// Splitters from a sample cut the keys into parts of about kPartRows rows; rows of equal keys share a part. Within a part,
// keys minus the smallest are sorted by their leading kLeadingBits significant bits, which tell nearly all of them
// apart; runs that agree in these are sorted by comparison. Every step is stable.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "surefit/radix.hpp"
#include "tree/exact_columns.hpp"

namespace surefit::exact_tree {

template <class T>
struct Item {
  radix::Key<T> key;
  Row row;
};

constexpr std::size_t kPartRows = std::size_t{1} << 14, kMostParts = 256, kSampled = 16, kFewRows = 256;
constexpr int kLeadingBits = 2 * radix::kDigitBits;

template <class T>
class ColumnSort {
 public:
  using Key = radix::Key<T>;

  // items: n of them, in ascending order of the rows. visit(item) for each, in ascending order of the keys.
  template <class Visit>
  void run(Item<T>* items, Item<T>* other, std::size_t n, Visit&& visit) {
    if (n <= 2 * kPartRows) return visit_sorted(items, other, n, visit);
    choose_splitters(items, n);
    part_of_.resize(n);
    starts_.assign(splitters_.size() + 2, 0);
    for (std::size_t i = 0; i < n; ++i) ++starts_[1 + (part_of_[i] = part_of(items[i].key))];
    for (std::size_t p = 1; p < starts_.size(); ++p) starts_[p] += starts_[p - 1];
    ends_.assign(starts_.begin(), starts_.end() - 1);
    for (std::size_t i = 0; i < n; ++i) other[ends_[part_of_[i]]++] = items[i];
    for (std::size_t p = 0; p < ends_.size(); ++p) {
      visit_sorted(other + starts_[p], items, ends_[p] - starts_[p], visit);
    }
  }

 private:
  void choose_splitters(const Item<T>* items, std::size_t n) {
    const std::size_t n_parts = std::min(kMostParts, n / kPartRows), n_sample = n_parts * kSampled;
    std::vector<Key> sample(n_sample);
    for (std::size_t s = 0; s < n_sample; ++s) sample[s] = items[s * (n / n_sample)].key;
    std::sort(sample.begin(), sample.end());
    splitters_.clear();
    for (std::size_t p = 1; p < n_parts; ++p) splitters_.push_back(sample[p * kSampled]);
  }

  // #{splitter ≤ key}, without a branch that depends on the key.
  std::uint8_t part_of(Key key) const {
    const Key* base = splitters_.data();
    for (std::size_t n = splitters_.size(); n > 1;) {
      const std::size_t half = n / 2;
      base += half & (std::size_t{0} - (base[half - 1] <= key));
      n -= half;
    }
    return static_cast<std::uint8_t>(base - splitters_.data() + (*base <= key));
  }

  template <class Visit>
  void visit_sorted(Item<T>* items, Item<T>* other, std::size_t n, Visit&& visit) {
    if (n <= kFewRows) {
      std::sort(items, items + n, before);
    } else {
      const auto [low, high] = std::minmax_element(items, items + n, [](auto& a, auto& b) { return a.key < b.key; });
      const Key lowest = low->key;
      const int width = std::bit_width(static_cast<Key>(high->key - lowest)), shift = std::max(0, width - kLeadingBits);
      for (int low_bit = shift; low_bit < width; low_bit += radix::kDigitBits) {
        by_digit(items, other, n, lowest, low_bit);
        std::swap(items, other);
      }
      if (shift > 0) mend_runs(items, n, lowest, shift);
    }
    for (std::size_t i = 0; i < n; ++i) visit(items[i]);
  }
  static bool before(const Item<T>& a, const Item<T>& b) { return a.key < b.key || (a.key == b.key && a.row < b.row); }

  void by_digit(const Item<T>* from, Item<T>* to, std::size_t n, Key lowest, int shift) {
    const auto digit = [&](const Item<T>& item) { return ((item.key - lowest) >> shift) & (radix::kDigits - 1); };
    counts_.fill(0);
    for (std::size_t i = 0; i < n; ++i) ++counts_[digit(from[i])];
    Row sum = 0;
    for (Row& c : counts_) sum += std::exchange(c, sum);
    for (std::size_t i = 0; i < n; ++i) to[counts_[digit(from[i])]++] = from[i];
  }

  static void mend_runs(Item<T>* items, std::size_t n, Key lowest, int shift) {
    const auto lead = [&](std::size_t i) { return static_cast<Key>(items[i].key - lowest) >> shift; };
    for (std::size_t first = 0, last = 1; first < n; first = last++) {
      while (last < n && lead(last) == lead(first)) ++last;
      if (last - first > 1) std::sort(items + first, items + last, before);
    }
  }

  std::vector<Key> splitters_;
  std::vector<std::uint8_t> part_of_;
  std::vector<std::size_t> starts_, ends_;
  std::array<Row, radix::kDigits> counts_;
};

}  // namespace surefit::exact_tree
