// The sets of categories that a node looks at in one column; a set goes left.
//
// Candidates in the order of the scan: for every order of the categories that are there (by the share of a class or the
// mean, lowest first, equal ones by number) its first one, first two, …; each with the missing values to the right, then
// to the left; last, all categories to the left and all that is missing to the right. With numbers, or two classes in
// the node, one order is enough: the best set is among them. Otherwise, if at most kMostExhaustive categories are there,
// all sets without the last category are tried, as binary numbers 1, 2, 3 …, whose bit i is the i-th category there.
#pragma once

#include <algorithm>
#include <vector>

#include "tree/forest.hpp"

namespace surefit::forest {

constexpr std::size_t kMostExhaustive = 10;

struct Side {
  double weight = 0;
  std::int64_t rows = 0;
};

template <class Target>
class SetScan {
 public:
  // `counts`: rows in each bin. offer(side, set, missing_left) is called with the left sums of `target` in place.
  SetScan(Target& target, const std::int64_t* counts, const std::uint8_t* codes, std::size_t n, bool has_missing)
      : target_(target), counts_(counts), codes_(codes, codes + n), has_missing_(has_missing) {}

  template <class Offer>
  void search(const Offer& offer) {
    if (!target_.one_order() && codes_.size() <= kMostExhaustive) return all_sets(offer);
    const std::size_t n_orders = target_.one_order() ? 1 : target_.n_orders();
    for (std::size_t k = 0; k < n_orders; ++k) one_order(k, offer);
  }

 private:
  void move_left(std::uint8_t code, Side& side) {
    target_.move_left(code);
    side.weight += target_.bin_weight(code);
    side.rows += counts_[code];
  }

  template <class Offer>
  void both_ways(const Side& side, const CategorySet& set, bool everything, const Offer& offer) {
    offer(side, set, false);
    if (!has_missing_ || everything) return;
    Side with_missing = side;
    move_left(kMissing, with_missing);
    offer(with_missing, set, true);
    target_.take_back(kMissing);
  }

  template <class Offer>
  void one_order(std::size_t k, const Offer& offer) {
    const auto key = [&](std::uint8_t code) { return std::pair(target_.order(code, k), code); };
    std::sort(codes_.begin(), codes_.end(), [&](std::uint8_t a, std::uint8_t b) { return key(a) < key(b); });
    target_.start();
    Side side;
    CategorySet set{};
    for (std::size_t n = 1; n <= codes_.size(); ++n) {
      const bool everything = n == codes_.size();
      if (everything && (k > 0 || !has_missing_)) return;
      move_left(codes_[n - 1], side);
      put(set, codes_[n - 1]);
      both_ways(side, set, everything, offer);
    }
  }

  template <class Offer>
  void all_sets(const Offer& offer) {
    const std::size_t n = codes_.size(), full = (std::size_t{1} << n) - 1;
    for (std::size_t mask = 1; mask <= full; ++mask) {
      if (mask > full / 2 && (mask < full || !has_missing_)) continue;
      target_.start();
      Side side;
      CategorySet set{};
      for (std::size_t i = 0; i < n; ++i) {
        if (!(mask >> i & 1)) continue;
        move_left(codes_[i], side);
        put(set, codes_[i]);
      }
      both_ways(side, set, mask == full, offer);
    }
  }

  Target& target_;
  const std::int64_t* counts_;
  std::vector<std::uint8_t> codes_;
  bool has_missing_;
};

}  // namespace surefit::forest
