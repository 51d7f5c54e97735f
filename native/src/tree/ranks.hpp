// Numbers replaced by their places among the thresholds of many trees.
//
// Let t₀ < t₁ < … be the thresholds on one feature, and r(x) = #{k : t_k < x}. Then x ≤ t_k exactly if r(x) ≤ k: a walk
// through the trees may compare whole numbers of 16 bits, and takes the same turns. A missing value has the place 65535.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "tree/predict.hpp"

namespace surefit::trees {

using Rank = std::uint16_t;
constexpr Rank kMissingRank = 0xFFFF;

// x ≤ t for every x of type T exactly if x ≤ narrowed(t).
template <class T>
T narrowed(double t) {
  const T near = static_cast<T>(t);
  return static_cast<double>(near) > t ? std::nextafter(near, -std::numeric_limits<T>::infinity()) : near;
}

// A set of numbers, none of them NaN. Each has a name, the number of those that were there before it, and once the set
// is sorted a place.
template <class T>
class Thresholds {
 public:
  // The name of t, which is added if it is not there.
  Rank add(T t) {
    if (2 * (sorted_.size() + 1) > slots_.size()) grow();
    Slot& slot = find(t);
    if (!slot.used) {
      slot = {t, static_cast<Rank>(sorted_.size()), true};
      sorted_.push_back(t);
    }
    return slot.name;
  }

  void sort() {
    std::sort(sorted_.begin(), sorted_.end());
    place_.resize(sorted_.size());
    for (std::size_t k = 0; k < sorted_.size(); ++k) place_[find(sorted_[k]).name] = static_cast<Rank>(k);
  }

  std::size_t size() const { return sorted_.size(); }
  Rank place(Rank name) const { return place_[name]; }

  // #{t < x}, without a branch that depends on x.
  Rank rank(T x) const {
    const T* base = sorted_.data();
    for (std::size_t n = sorted_.size(); n > 1;) {
      const std::size_t half = n / 2;
      base += base[half - 1] < x ? half : 0;
      n -= half;
    }
    const auto below = static_cast<Rank>(base - sorted_.data() + (*base < x));
    return x != x ? kMissingRank : below;
  }

 private:
  struct Slot {
    T t;
    Rank name;
    bool used;
  };
  std::vector<Slot> slots_;
  std::vector<T> sorted_;
  std::vector<Rank> place_;  // of each name

  Slot& find(T t) {
    const std::uint64_t spread = std::bit_cast<std::uint64_t>(static_cast<double>(t)) * 0x9E3779B97F4A7C15u;
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(spread >> 32) & mask;
    while (slots_[at].used && slots_[at].t != t) at = (at + 1) & mask;
    return slots_[at];
  }

  void grow() {
    std::vector<Slot> old(std::max<std::size_t>(16, 2 * slots_.size()));
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.used) find(slot.t) = slot;
    }
  }
};

// The thresholds of all trees, feature by feature; features that no tree looks at have no column among the ranks.
template <class T>
class Ranks {
 public:
  static constexpr std::size_t kMostColumns = 1u << 15, kMostThresholds = kMissingRank - 1;

  // False where ranks cannot stand for the numbers (sets of categories, too many thresholds) or would not pay:
  // finding the ranks of a row takes half the steps of its walks, or more.
  bool read(std::span<const Arrays> trees) {
    column_.assign(trees[0].n_features, -1);
    double walks = 0, searches = 0;
    std::size_t n_nodes = 0;
    for (const Arrays& tree : trees) {
      first_.push_back(n_nodes);
      n_nodes += tree.n_nodes;
      walks += std::bit_width(tree.n_nodes);
    }
    names_.resize(n_nodes);
    Rank* name = names_.data();
    for (const Arrays& tree : trees) {
      for (std::size_t node = 0; node < tree.n_nodes; ++node, ++name) {
        const std::int32_t j = tree.feature[node];
        if (tree.left[node] < 0) continue;
        if (tree.category_row[node] >= 0 || tree.threshold[node] != tree.threshold[node]) return false;
        if (j < 0 || static_cast<std::size_t>(j) >= column_.size()) return false;  // refused when it is packed
        Thresholds<T>& mine = thresholds_of(static_cast<std::size_t>(j));
        *name = mine.add(narrowed<T>(tree.threshold[node]) + T(0));  // −0 is 0
        if (mine.size() > kMostThresholds || thresholds_.size() > kMostColumns) return false;
      }
    }
    for (Thresholds<T>& mine : thresholds_) {
      mine.sort();
      searches += std::bit_width(mine.size());
    }
    return 2 * searches < walks;
  }

  std::size_t width() const { return thresholds_.size(); }
  std::uint32_t column(std::int32_t feature) const {
    return static_cast<std::uint32_t>(column_[static_cast<std::size_t>(feature)]);
  }
  Rank place(std::size_t tree, std::size_t node, std::int32_t feature) const {
    return thresholds_[column(feature)].place(names_[first_[tree] + node]);
  }

  // out (n × width) ← the ranks of the rows at x (n × d); whether one of the numbers is missing.
  bool write(const T* x, std::size_t n, std::size_t d, std::vector<Rank>& out) const {
    out.resize(std::max(out.size(), n * width() + 1));
    bool missing = false;
    for (std::size_t c = 0; c < width(); ++c) {
      const Thresholds<T>& mine = thresholds_[c];
      const T* from = x + features_[c];
      for (std::size_t i = 0; i < n; ++i) {
        const Rank rank = mine.rank(from[i * d]);
        missing |= rank == kMissingRank;
        out[i * width() + c] = rank;
      }
    }
    return missing;
  }

  // The same column by column (width × stride); `low` ← a copy with the lowest rank for missing values, if there are any.
  bool write_columns(const T* x, std::size_t n, std::size_t d, std::size_t stride, std::vector<Rank>& out,
                     std::vector<Rank>& low) const {
    const std::size_t size = width() * stride;
    out.resize(std::max(out.size(), size));
    bool missing = false;
    for (std::size_t c = 0; c < width(); ++c) {
      const Thresholds<T>& mine = thresholds_[c];
      const T* from = x + features_[c];
      Rank* to = out.data() + c * stride;
      for (std::size_t i = 0; i < n; ++i) {
        to[i] = mine.rank(from[i * d]);
        missing |= to[i] == kMissingRank;
      }
      std::fill(to + n, to + stride, Rank{0});
    }
    if (!missing) return false;
    low.resize(std::max(low.size(), size));
    std::transform(out.data(), out.data() + size, low.data(), [](Rank r) { return r == kMissingRank ? Rank{0} : r; });
    return true;
  }

 private:
  std::vector<Thresholds<T>> thresholds_;
  std::vector<std::int32_t> column_;   // of a feature, or −1
  std::vector<std::size_t> features_;  // of a column
  std::vector<Rank> names_;            // of the thresholds of all nodes
  std::vector<std::size_t> first_;     // where those of each tree begin

  Thresholds<T>& thresholds_of(std::size_t feature) {
    if (column_[feature] < 0) {
      column_[feature] = static_cast<std::int32_t>(thresholds_.size());
      thresholds_.emplace_back();
      features_.push_back(feature);
    }
    return thresholds_[static_cast<std::size_t>(column_[feature])];
  }
};

}  // namespace surefit::trees
