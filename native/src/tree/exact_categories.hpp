// The best split of a node by a column of categories: a set of them goes left.
//
// Candidates in the order of the scan: for every order of the present categories (by `order(·, k)` of the criterion,
// lowest first, equal ones by number) its first one, first two, …; each with the missing values to the right, then to
// the left; last, all that is present to the left and all that is missing to the right. With one number or two classes
// one order is enough: the best set is among them. Otherwise, if at most kMostExhaustive categories are present, all
// sets without the last category are tried, as binary numbers 1, 2, 3 …, whose bit i is the i-th category present.
#pragma once

#include <vector>

#include "tree/exact_part.hpp"
#include "tree/exact_search.hpp"

namespace surefit::exact_tree {

constexpr std::size_t kMostExhaustive = 10;

// Entries first … last − 1 of the node's list are of one category.
struct Category {
  std::size_t code, first, last;
  double key;
};

template <class Id, class C>
class CategorySearch {
 public:
  CategorySearch(const Part<Id>& part, const C& c, const Node& node, std::size_t j, std::size_t missing, double* space,
                 std::vector<Category>& categories)
      : c_(c), list_(part.list(j) + node.start), size_(node.size()), missing_(missing), space_(space),
        categories_(categories) {
    const std::size_t present = size_ - missing;
    categories_.clear();
    for (std::size_t i = 0; i < present; ++i) {
      if (i == 0 || list_[i] & kNew<Id>) {
        if (i) categories_.back().last = i;
        categories_.push_back({static_cast<std::size_t>(part.value(list_[i], j)), i, present, 0});
      }
    }
  }

  // space: C::scratch numbers for each of kMostExhaustive + 2.
  void search(const Limits& limits, Pick& pick) {
    if (categories_.empty()) return;
    if (C::kMerges && !c_.ordered() && categories_.size() <= kMostExhaustive) {
      all_sets(limits, pick);
    } else {
      for (std::size_t k = 0; k < (c_.ordered() ? 1 : c_.n_orders()); ++k) one_order(k, limits, pick);
    }
  }

  CategorySet set_of(const Pick& pick) {
    CategorySet set{};
    const auto put = [&](const Category& c) { set[c.code >> 6] |= std::uint64_t{1} << (c.code & 63); };
    if (pick.by_mask) {
      for (std::size_t i = 0; i < categories_.size(); ++i) {
        if (pick.n_left >> i & 1) put(categories_[i]);
      }
      return set;
    }
    sort(pick.order);
    for (std::size_t i = 0; i < pick.n_left; ++i) put(categories_[i]);
    return set;
  }

 private:
  static constexpr Id kId = Part<Id>::kId;

  template <class L>
  void add(L& left, std::size_t first, std::size_t last) const {
    for (std::size_t i = first; i < last; ++i) c_.add(left, static_cast<Id>(list_[i] & kId));
  }

  void sort(std::size_t k) {
    for (Category& category : categories_) {
      auto left = c_.empty(space_);
      add(left, category.first, category.last);
      category.key = c_.order(left, order_of_scan(k));
    }
    std::sort(categories_.begin(), categories_.end(), [](const Category& a, const Category& b) {
      return a.key < b.key || (a.key == b.key && a.code < b.code);
    });
  }

  // Two classes are present: the order by the share of the last of them, whichever it is.
  std::size_t order_of_scan(std::size_t k) const { return c_.ordered() ? c_.only_order() : k; }

  void one_order(std::size_t k, const Limits& limits, Pick& pick) {
    sort(k);
    auto left = c_.empty(space_), with_missing = c_.empty(space_ + C::scratch(c_.targets()));
    add(with_missing, size_ - missing_, size_);
    std::size_t rows = 0;
    pick.trying_order = k, pick.trying_mask = false;
    for (std::size_t n = 1; n <= categories_.size(); ++n) {
      const Category& category = categories_[n - 1];
      rows += category.last - category.first;
      add(left, category.first, category.last), add(with_missing, category.first, category.last);
      if (n == categories_.size() && (k || missing_ == 0)) break;
      offer(left, rows, n, false, limits, pick);
      if (missing_ && n < categories_.size()) offer(with_missing, rows + missing_, n, true, limits, pick);
    }
  }

  void all_sets(const Limits& limits, Pick& pick) {
    const std::size_t width = C::scratch(c_.targets()), n = categories_.size();
    std::vector<typename C::Left> of;
    for (std::size_t i = 0; i < n; ++i) {
      of.push_back(c_.empty(space_ + (2 + i) * width));
      add(of.back(), categories_[i].first, categories_[i].last);
    }
    auto missing = c_.empty(space_ + width);
    add(missing, size_ - missing_, size_);
    pick.trying_mask = true;
    const std::size_t full = (std::size_t{1} << n) - 1;
    for (std::size_t mask = 1; mask <= full; ++mask) {
      if (mask > full / 2 && (mask < full || missing_ == 0)) continue;
      auto left = c_.empty(space_);
      std::size_t rows = 0;
      for (std::size_t i = 0; i < n; ++i) {
        if (!(mask >> i & 1)) continue;
        c_.merge(left, of[i]);
        rows += categories_[i].last - categories_[i].first;
      }
      offer(left, rows, mask, false, limits, pick);
      if (missing_ == 0 || mask == full) continue;
      c_.merge(left, missing);
      offer(left, rows + missing_, mask, true, limits, pick);
    }
  }

  template <class L>
  void offer(const L& left, std::size_t rows, std::size_t what, bool missing_left, const Limits& limits, Pick& pick) {
    if (rows < limits.min_leaf || size_ - rows < limits.min_leaf || pick.done) return;
    consider(c_, left, what, missing_left, limits, pick);
  }

  const C& c_;
  const Id* list_;
  std::size_t size_, missing_;
  double* space_;
  std::vector<Category>& categories_;
};

}  // namespace surefit::exact_tree
