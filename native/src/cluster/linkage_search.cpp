#include "cluster/linkage_search.hpp"

#include "cluster/linkage_distances.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using linkage::kAlone;
using linkage::kLeafPoints;
using linkage::kPad;
using linkage::kStack;
using linkage::Neighbors;
using linkage::Search;
using linkage::TreeView;

// Down the tree, the nearer child first: useful(node), lower(node) ≤ the value of every pair, upper() of the pairs
// that matter, visit(leaf) but for the own leaf.
template <class Useful, class Lower, class Upper, class Visit>
SUREFIT_INLINE void go_down(const TreeView& tree, std::size_t own_leaf, Useful&& useful, Lower&& lower, Upper&& upper, Visit&& visit) {
  std::int32_t waiting[kStack];
  double least[kStack];
  std::size_t top = 0;
  waiting[0] = 0;
  least[top++] = 0;
  while (top > 0) {
    --top;
    if (least[top] > upper()) continue;
    const std::int32_t node = waiting[top], left = tree.left[node];
    if (left < 0) {
      if (static_cast<std::size_t>(node) != own_leaf) visit(static_cast<std::size_t>(node));
      continue;
    }
    const double limit = upper();
    double to_left = kInfinity, to_right = kInfinity;
    const bool use_left = useful(left) && (to_left = lower(left)) <= limit;
    const bool use_right = useful(left + 1) && (to_right = lower(left + 1)) <= limit;
    const bool left_last = use_left && to_left <= to_right;
    if (use_left && !left_last) waiting[top] = left, least[top++] = to_left;
    if (use_right) waiting[top] = left + 1, least[top++] = to_right;
    if (left_last) waiting[top] = left, least[top++] = to_left;
  }
}

// One leaf of queries.
template <class Metric>
class LeafSearch {
 public:
  LeafSearch(const Search& s, std::size_t leaf) : s_(s), t_(s.tree), leaf_(leaf), shrink_(1 - 4e-16 * (t_.d + 8.0)) {
    const std::size_t first = static_cast<std::size_t>(t_.block[leaf]) * kBlock;
    const std::size_t count = static_cast<std::size_t>(t_.count[leaf]);
    least_size_ = kInfinity;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t slot = first + i;
      const std::int32_t group = s.group[slot], partner = s.partner[slot];
      active_[i] = false;
      if (partner >= 0 && s.group[partner] != group) continue;  // still the closest
      const double bound = s.group_bound ? load_bound(group) : kInfinity;
      if (s.value[slot] > bound) continue;
      active_[i] = true;
      bound_[i] = bound;
      partner_[i] = -1;
      one_group_ = n_active_ == 0 || one_group_ == group ? group : -1;
      if (Metric::weighted && t_.size[slot] < least_size_) least_size_ = t_.size[slot];
      ++n_active_;
    }
    count_ = count;
    first_ = first;
  }

  void run() {
    if (n_active_ == 0) return;
    if (t_.d > kAlone) {
      go_together();
    } else {
      for (std::size_t i = 0; i < count_; ++i) {
        if (active_[i]) go_alone(i);
      }
    }
    finish();
  }

 private:
  double load_bound(std::int32_t group) const {
    std::uint64_t bits;
    __atomic_load(reinterpret_cast<const std::uint64_t*>(s_.group_bound + group), &bits, __ATOMIC_RELAXED);
    double bound;
    std::memcpy(&bound, &bits, sizeof bound);
    return bound;
  }

  // group_bound := min(group_bound, value). Numbers from zero are ordered like their bits.
  void lower_bound(std::int32_t group, double value) const {
    auto* bits = reinterpret_cast<std::uint64_t*>(s_.group_bound + group);
    std::uint64_t wanted, now;
    std::memcpy(&wanted, &value, sizeof wanted);
    __atomic_load(bits, &now, __ATOMIC_RELAXED);
    while (wanted < now &&
           !__atomic_compare_exchange_n(bits, &now, wanted, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
  }

  void go_alone(std::size_t i) {
    const std::size_t wide = linkage::padded(t_.d);
    const double* x = t_.rows + (first_ + i) * wide;
    const std::int32_t group = s_.group[first_ + i];
    const double size = Metric::weighted ? t_.size[first_ + i] : 1;
    visit_alone(i, x, leaf_);
    go_down(t_, leaf_, [&](std::int32_t node) { return s_.node_group[node] != group; },
            [&](std::int32_t node) {
              double sum = shrink_ * point_box_sum<Metric>(x, t_.box + 2 * wide * static_cast<std::size_t>(node), wide);
              if (Metric::weighted) sum *= ward_weight(size, t_.least_size[node]);
              return sum;
            },
            [&] { return bound_[i]; }, [&](std::size_t other) { visit_alone(i, x, other); });
  }

  SUREFIT_INLINE void visit_alone(std::size_t i, const double* x, std::size_t other) {
    const std::size_t slot = static_cast<std::size_t>(t_.block[other]) * kBlock;
    const std::size_t count = static_cast<std::size_t>(t_.count[other]);
    for (std::size_t c = 0; c < count; c += kBlock) compare(i, x, t_.points + (slot + c) * t_.d, slot + c, count - c);
  }

  void go_together() {
    const std::size_t wide = linkage::padded(t_.d);
    visit(leaf_);
    go_down(t_, leaf_, [&](std::int32_t node) { return one_group_ < 0 || s_.node_group[node] != one_group_; },
            [&](std::int32_t node) {
              const double* own = t_.box + 2 * wide * leaf_;
              double sum = shrink_ * box_sum<Metric>(own, t_.box + 2 * wide * static_cast<std::size_t>(node), wide);
              if (Metric::weighted) sum *= ward_weight(least_size_, t_.least_size[node]);
              return sum;
            },
            [&] { return largest_bound(); }, [&](std::size_t other) { visit(other); });
  }

  double largest_bound() {
    if (stale_) {
      largest_ = 0;
      for (std::size_t i = 0; i < count_; ++i) {
        if (active_[i] && bound_[i] > largest_) largest_ = bound_[i];
      }
      stale_ = false;
    }
    return largest_;
  }

  // All queries of the leaf against all points of leaf `other`.
  void visit(std::size_t other) {
    const std::size_t wide = linkage::padded(t_.d);
    const double* box = t_.box + 2 * wide * other;
    const double* points = t_.points + static_cast<std::size_t>(t_.block[other]) * kBlock * t_.d;
    const std::size_t slots = static_cast<std::size_t>(t_.block[other]) * kBlock;
    const std::size_t count = static_cast<std::size_t>(t_.count[other]);
    for (std::size_t b = 0; b * kBlock < count_; ++b) {
      const double* queries = t_.points + (first_ + b * kBlock) * t_.d;
      const Lanes near = box_sums<Metric>(queries, box, t_.d);
      for (std::size_t l = 0; l < kBlock && b * kBlock + l < count_; ++l) {
        const std::size_t i = b * kBlock + l;
        if (!active_[i] || s_.node_group[other] == s_.group[first_ + i]) continue;
        double least = shrink_ * near[l];
        if (Metric::weighted) least *= ward_weight(t_.size[first_ + i], t_.least_size[other]);
        if (least > bound_[i]) continue;
        for (std::size_t c = 0; c < count; c += kBlock) {
          compare(i, t_.rows + (first_ + i) * wide, points + c * t_.d, slots + c, count - c);
        }
      }
    }
  }

  SUREFIT_INLINE void compare(std::size_t i, const double* x, const double* block, std::size_t slot, std::size_t count) {
    Lanes value = block_sums<Metric>(x, block, t_.d, Metric::weighted ? kInfinity : bound_[i]);
    if (Metric::weighted) {
      weigh(value, t_.size[first_ + i], t_.size + slot);
    }
    const std::int32_t group = s_.group[first_ + i];
    for (std::uint32_t near = within(value, bound_[i]) & lanes_below(count); near != 0; near &= near - 1) {
      const auto l = static_cast<std::size_t>(__builtin_ctz(near));
      if (!(value[l] <= bound_[i]) || s_.group[slot + l] == group) continue;
      if (value[l] < bound_[i] || partner_[i] < 0 || t_.id[slot + l] < t_.id[partner_[i]]) {
        bound_[i] = value[l];
        partner_[i] = static_cast<std::int32_t>(slot + l);
        stale_ = true;
      }
    }
  }

  void finish() {
    for (std::size_t i = 0; i < count_; ++i) {
      if (!active_[i]) continue;
      s_.value[first_ + i] = bound_[i];
      s_.partner[first_ + i] = partner_[i];
      if (partner_[i] >= 0 && s_.group_bound) lower_bound(s_.group[first_ + i], bound_[i]);
    }
  }

  const Search& s_;
  const TreeView& t_;
  std::size_t leaf_, first_, count_, n_active_ = 0;
  double shrink_, least_size_, largest_ = 0;
  bool stale_ = true;
  std::int32_t one_group_ = -1;
  bool active_[kLeafPoints];
  double bound_[kLeafPoints];
  std::int32_t partner_[kLeafPoints];
};

template <class Metric>
void search(const Search& s, std::size_t leaf) {
  LeafSearch<Metric>(s, leaf).run();
}

// The nearest others of each point of a leaf, as sorted lists.
template <class Metric>
class LeafLists {
 public:
  LeafLists(const Neighbors& s, std::size_t leaf)
      : t_(s.tree), n_(s.n), leaf_(leaf), wide_(linkage::padded(t_.d)), shrink_(1 - 4e-16 * (t_.d + 8.0)),
        first_(static_cast<std::size_t>(t_.block[leaf]) * kBlock), count_(static_cast<std::size_t>(t_.count[leaf])),
        value_(s.value + first_ * n_), slot_(s.slot + first_ * n_) {
    for (std::size_t i = 0; i < count_ * n_; ++i) value_[i] = kInfinity, slot_[i] = -1;
    for (std::size_t i = 0; i < kLeafPoints; ++i) worst_[i] = i < count_ ? kInfinity : -1;
    for (std::size_t i = 0; i < count_; ++i) visit(i, leaf);
  }

  void run() {
    if (t_.d <= kTogether) return go_together();
    for (std::size_t i = 0; i < count_; ++i) go_alone(i);
  }

 private:
  static constexpr std::size_t kTogether = 3;  // coordinates up to which one way down serves all points of the leaf

  const double* box(std::size_t node) const { return t_.box + 2 * wide_ * node; }

  void go_alone(std::size_t i) {
    const double* x = t_.rows + (first_ + i) * wide_;
    go_down(t_, leaf_, [](std::int32_t) { return true; },
            [&](std::int32_t node) {
              return shrink_ * point_box_sum<Metric>(x, box(static_cast<std::size_t>(node)), wide_);
            },
            [&] { return worst_[i]; }, [&](std::size_t other) { visit(i, other); });
  }

  void go_together() {
    double largest = largest_worst();
    go_down(t_, leaf_, [](std::int32_t) { return true; },
            [&](std::int32_t node) {
              return shrink_ * box_sum<Metric>(box(leaf_), box(static_cast<std::size_t>(node)), wide_);
            },
            [&] { return largest; },
            [&](std::size_t other) {
              if (visit_all(other)) largest = largest_worst();
            });
  }

  double largest_worst() const {
    double largest = 0;
    for (const double worst : worst_) largest = worst > largest ? worst : largest;
    return largest;
  }

  // Returns whether a point was near enough to look.
  bool visit_all(std::size_t other) {
    bool looked = false;
    for (std::size_t b = 0; b < count_; b += kBlock) {
      const Lanes least = box_sums<Metric>(t_.points + (first_ + b) * t_.d, box(other), t_.d);
      const Lanes worst = lanes_at(worst_ + b);
      for (std::size_t p = 0; p < kParts; ++p) {
        std::uint32_t near = bits_of<double>(least.part[p] * splat(shrink_) <= worst.part[p]);
        for (; near != 0; near &= near - 1) {
          visit(b + p * kLanes<double> + static_cast<std::size_t>(__builtin_ctz(near)), other);
          looked = true;
        }
      }
    }
    return looked;
  }

  SUREFIT_INLINE void visit(std::size_t i, std::size_t leaf) {
    const double* x = t_.rows + (first_ + i) * wide_;
    const std::size_t first = static_cast<std::size_t>(t_.block[leaf]) * kBlock;
    const std::size_t count = static_cast<std::size_t>(t_.count[leaf]);
    for (std::size_t c = 0; c < count; c += kBlock) {
      const Lanes value = block_sums<Metric>(x, t_.points + (first + c) * t_.d, t_.d, worst_[i]);
      for (std::uint32_t near = within(value, worst_[i]) & lanes_below(count - c); near != 0; near &= near - 1) {
        const auto l = static_cast<std::size_t>(__builtin_ctz(near));
        if (value[l] <= worst_[i] && first + c + l != first_ + i) insert(i, value[l], first + c + l);
      }
    }
  }

  void insert(std::size_t own, double value, std::size_t slot) {
    double* values = value_ + own * n_;
    std::int32_t* slots = slot_ + own * n_;
    const std::int32_t id = t_.id[slot];
    std::size_t i = n_;
    while (i > 0 && (slots[i - 1] < 0 || value < values[i - 1] || (value == values[i - 1] && id < t_.id[slots[i - 1]]))) --i;
    if (i == n_) return;
    for (std::size_t j = n_ - 1; j > i; --j) values[j] = values[j - 1], slots[j] = slots[j - 1];
    values[i] = value;
    slots[i] = static_cast<std::int32_t>(slot);
    worst_[own] = values[n_ - 1];
  }

  const TreeView& t_;
  std::size_t n_, leaf_, wide_;
  double shrink_;
  std::size_t first_, count_;
  alignas(64) double worst_[kLeafPoints];  // of each list, −1 beyond the last point
  double* value_;
  std::int32_t* slot_;
};

template <class Metric>
void list_neighbors(const Neighbors& s, std::size_t leaf) {
  LeafLists<Metric>(s, leaf).run();
}

void ward_scan(const double* center, double size, const double* points, const double* sizes, std::size_t n,
               std::size_t d, double* out) {
  for (std::size_t first = 0; first < n; first += kBlock) {
    Lanes value{};
    for (std::size_t k = 0; k < d; ++k) {
      const Vec<double> own = splat(center[k]);
      const Lanes others = lanes_at(points + first * d + k * kBlock);
      for (std::size_t p = 0; p < kParts; ++p) value.part[p] = Ward::add(value.part[p], own - others.part[p]);
    }
    weigh(value, size, sizes + first);
    std::memcpy(out + first, &value, sizeof value);
  }
}

}  // namespace

extern const linkage::SearchLoops linkage_search;
const linkage::SearchLoops linkage_search = {search<Squared>,         search<Absolute>, list_neighbors<Squared>,
                                              list_neighbors<Absolute>, search<Ward>,     ward_scan};

}  // namespace surefit::SUREFIT_LEVEL
