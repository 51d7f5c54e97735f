#include "histogram_grow.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "surefit/fold.hpp"

namespace surefit::histogram {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr std::size_t kMostBytes = std::size_t{1} << 29;  // of histograms kept for nodes that wait
constexpr double kUpdateNs = 0.6;                         // one row added to one feature
constexpr double kScanNs = 4;                             // one bin merged, subtracted and looked at
constexpr std::size_t kChunk = 1024;
constexpr std::uint64_t kGold = 0x9E3779B97F4A7C15u;

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

template <class Kind>
const typename Kind::Row* rows_of(const Statistics& s) {
  if constexpr (sizeof(typename Kind::Row) == sizeof(Pair)) return s.pairs();
  else return s.fours();
}

template <class Kind>
class Grower {
 public:
  using Cell = typename Kind::Cell;

  Grower(const BinnedRows& rows, const std::vector<Feature>& features, const Statistics& statistics,
         const Options& options, Memory& memory)
      : rows_(rows), features_(features), statistics_(statistics), grid_(statistics.grid), options_(options),
        memory_(memory), cells_(rows.d * kBins), found_(2 * rows.d) {
    memory_.order.resize(rows.n);
    memory_.scratch.resize(2 * rows.n);
    std::iota(memory_.order.begin(), memory_.order.end(), 0u);
  }

  Grown run() {
    Node root;
    root.hi = rows_.n;
    root.key = mixed(options_.seed + kGold);
    root.groups.resize(options_.n_groups);
    std::iota(root.groups.begin(), root.groups.end(), std::size_t{0});
    root.slot = take_slot();
    fill_rows(root, true);
    finish_fill(root.slot, kNone, nullptr, nullptr);
    for (std::size_t b = 0; b < kBins; ++b) root.total += cells(root.slot)[b];
    measure(root);
    choose(root, nullptr);
    options_.max_leaves == 0 ? depth_first(root) : best_first(root);
    for (const std::size_t slot : used_) memory_.free.push_back(slot);
    return std::move(out_);
  }

 private:
  struct Node {
    std::size_t lo = 0, hi = 0, depth = 0, slot = kNone, id = kNone;
    Cell total{};
    Bounds bounds;
    double value = 0, score = 0;
    std::uint64_t key = 0;
    std::vector<std::size_t> groups;
    Split<Cell> best;
    bool splits() const { return best.feature != kNone; }
    double gain() const { return best.score - score; }
    std::size_t size() const { return hi - lo; }
  };
  struct Less {
    bool operator()(const std::unique_ptr<Node>& a, const std::unique_ptr<Node>& b) const {
      return a->gain() != b->gain() ? a->gain() < b->gain() : a->id > b->id;
    }
  };

  void best_first(Node& root) {
    std::vector<std::unique_ptr<Node>> heap;
    const auto add = [&](Node& node) {
      record(node);
      if (!node.splits()) return release(node);
      heap.push_back(std::make_unique<Node>(std::move(node)));
      std::push_heap(heap.begin(), heap.end(), Less());
    };
    add(root);
    std::size_t n_leaves = 1;
    while (!heap.empty() && n_leaves < options_.max_leaves) {
      std::pop_heap(heap.begin(), heap.end(), Less());
      const std::unique_ptr<Node> node = std::move(heap.back());
      heap.pop_back();
      Node left, right;
      split(*node, left, right, ++n_leaves == options_.max_leaves);
      out_.left[node->id] = static_cast<std::int64_t>(out_.left.size());
      add(left);
      out_.right[node->id] = static_cast<std::int64_t>(out_.left.size());
      add(right);
    }
  }

  void depth_first(Node& root) {
    struct Waiting {
      Node node;
      std::size_t parent;
      bool is_left;
    };
    std::vector<Waiting> stack;
    stack.push_back({std::move(root), kNone, false});
    while (!stack.empty()) {
      Waiting at = std::move(stack.back());
      stack.pop_back();
      record(at.node);
      if (at.parent != kNone) {
        (at.is_left ? out_.left : out_.right)[at.parent] = static_cast<std::int64_t>(at.node.id);
      }
      if (!at.node.splits()) {
        release(at.node);
        continue;
      }
      Node left, right;
      split(at.node, left, right, false);
      stack.push_back({std::move(right), at.node.id, false});
      stack.push_back({std::move(left), at.node.id, true});
    }
  }

  // The node becomes a row of the arrays; with its split, if it has one (a leaf's is taken back at the end).
  void record(Node& node) {
    node.id = out_.left.size();
    const Sums s = Kind::sums(node.total, grid_);
    out_.left.push_back(-1);
    out_.right.push_back(-1);
    out_.feature.push_back(-2);
    out_.bin.push_back(0);
    out_.missing_left.push_back(0);
    out_.categorical.push_back(0);
    out_.sets.insert(out_.sets.end(), 4, 0);
    out_.n_rows.push_back(static_cast<std::int64_t>(node.size()));
    out_.first_row.push_back(static_cast<std::int64_t>(node.lo));
    out_.value.push_back(node.value);
    out_.score.push_back(node.score);
    out_.weight.push_back(s.c);
    out_.hessian.push_back(s.h);
    out_.gradient.push_back(s.g);
  }

  void split(Node& node, Node& left, Node& right, bool last) {
    const Split<Cell>& best = node.best;
    out_.feature[node.id] = static_cast<std::int64_t>(best.feature);
    out_.bin[node.id] = static_cast<std::int64_t>(best.bin);
    out_.categorical[node.id] = best.categorical;
    std::copy(best.set.begin(), best.set.end(), out_.sets.begin() + static_cast<std::ptrdiff_t>(4 * node.id));
    std::array<std::uint8_t, kBins> goes_left{};
    for (std::size_t b = 0; b < kMissing; ++b) {
      goes_left[b] = best.categorical ? (best.set[b / 64] >> (b % 64)) & 1 : b <= best.bin;
    }
    goes_left[kMissing] = best.missing_left;
    const std::size_t n_left =
        partition(memory_.order.data(), node.lo, node.hi, rows_.column(best.feature), goes_left.data(),
                  memory_.scratch.data(), rows_.n, options_.n_threads);
    left.lo = node.lo;
    left.hi = right.lo = node.lo + n_left;
    right.hi = node.hi;
    left.total = best.left;
    right.total = node.total - best.left;
    left.depth = right.depth = node.depth + 1;
    left.key = mixed(node.key + kGold);
    right.key = mixed(node.key + 2 * kGold);
    left.bounds = right.bounds = node.bounds;
    measure(left);
    measure(right);
    narrow(best.feature, left, right);
    for (const std::size_t group : node.groups) {
      if (options_.groups[group * rows_.d + best.feature]) left.groups.push_back(group);
    }
    right.groups = left.groups;
    const bool seen = rows_.has_missing[best.feature];
    const double on_left = Kind::sums(left.total, grid_).c, on_right = Kind::sums(right.total, grid_).c;
    out_.missing_left[node.id] = seen ? best.missing_left : on_left > on_right;
    prepare(node, left, right, last);
  }

  // Under a constraint the steps below stay on their sides of the middle.
  void narrow(std::size_t feature, Node& left, Node& right) const {
    const int sign = options_.rules.monotonic ? options_.rules.monotonic[feature] : 0;
    if (sign == 0) return;
    const double middle = left.value / 2 + right.value / 2;
    (sign > 0 ? left : right).bounds.high = middle;
    (sign > 0 ? right : left).bounds.low = middle;
  }

  void measure(Node& node) const {
    const Sums s = Kind::sums(node.total, grid_);
    const double below = s.h + options_.rules.l2;
    node.value = node.bounds.clip(below > 0 ? -s.g / below : 0.0);
    node.score = -s.g * node.value;
    node.best.feature = kNone;
  }

  bool may_split(const Node& node) const {
    const Sums s = Kind::sums(node.total, grid_);
    return (options_.max_depth == 0 || node.depth < options_.max_depth) && node.size() > 1 &&
           s.c >= 2 * options_.rules.min_weight && s.h >= 2 * kLeastHessian;
  }

  // Histograms and best splits of two children whose parent's histogram is still there (or was not kept).
  void prepare(Node& node, Node& left, Node& right, bool last) {
    const bool small_left = left.size() <= right.size();
    Node& small = small_left ? left : right;
    Node& large = small_left ? right : left;
    const bool small_may = !last && may_split(small), large_may = !last && may_split(large);
    if (!small_may && !large_may) return release(node);
    if (node.slot == kNone) {
      if (small_may) count(small);
      if (large_may) count(large);
    } else {
      small.slot = take_slot();
      large.slot = std::exchange(node.slot, kNone);
      fill_rows(small, false);
      finish_fill(small.slot, large.slot, small_may ? &small : nullptr, large_may ? &large : nullptr);
      if (small_may) choose(small, found_.data());
      if (large_may) choose(large, found_.data() + rows_.d);
    }
    for (Node* child : {&small, &large}) {
      if (!child->splits() || memory_full()) release(*child);
    }
  }

  // Histogram and best split of a node by itself.
  void count(Node& node) {
    node.slot = take_slot();
    fill_rows(node, false);
    finish_fill(node.slot, kNone, &node, nullptr);
    choose(node, found_.data());
  }

  // Rows into one histogram for each thread; the first is that of the node's slot.
  void fill_rows(const Node& node, bool all) {
    const double work = static_cast<double>(node.size()) * static_cast<double>(rows_.d) * kUpdateNs;
    const int threads = threads_awake(work, options_.n_threads);
    const std::size_t n_chunks = threads == 1 ? 1 : leaves_of(node.size(), kChunk);
    const std::size_t chunk = threads == 1 ? node.size() : kChunk;
    const std::size_t n_parts = std::min<std::size_t>(static_cast<std::size_t>(std::max(threads, 1)), n_chunks);
    while (parts_.size() < n_parts) parts_.push_back(take_slot());
    parts_[0] = node.slot;
    filled_.assign(n_parts, 0);
    const auto* statistics = rows_of<Kind>(statistics_);
    const std::uint32_t* order = all ? nullptr : memory_.order.data();
    parallel_for(n_chunks, threads, [&](std::size_t task, int thread) {
      const auto part = static_cast<std::size_t>(thread);
      Cell* into = cells(parts_[part]);
      if (!filled_[part]) std::fill_n(into, cells_, Cell{});
      filled_[part] = 1;
      const std::size_t lo = node.lo + task * chunk;
      SUREFIT_TABLE(histogram_loops).template of<Kind>().fill(
          rows_.bins, rows_.d, order, lo, std::min(node.hi, lo + chunk), statistics, grid_.shift, into);
    });
  }

  // The parts are added into `small`, which is taken from `large`; then both are looked at, feature by feature.
  void finish_fill(std::size_t small, std::size_t large, const Node* first, const Node* second) {
    if (!filled_[0]) std::fill_n(cells(small), cells_, Cell{});
    const bool look = options_.max_features >= 1;
    const double work = static_cast<double>(cells_) * kScanNs * ((first != nullptr) + (second != nullptr));
    const int threads = (filled_.size() > 1 ? threads_awake : threads_for)(work, options_.n_threads);
    parallel_for(rows_.d, threads, [&](std::size_t j, int) {
      Cell* into = cells(small) + j * kBins;
      for (std::size_t part = 1; part < filled_.size(); ++part) {
        if (!filled_[part]) continue;
        const Cell* more = cells(parts_[part]) + j * kBins;
        for (std::size_t b = 0; b < kBins; ++b) into[b] += more[b];
      }
      if (large != kNone) {
        Cell* rest = cells(large) + j * kBins;
        for (std::size_t b = 0; b < kBins; ++b) rest[b] -= into[b];
      }
      if (look && first) look_at(*first, small, j, found_[j]);
      if (look && second) look_at(*second, large, j, found_[rows_.d + j]);
    });
  }

  void look_at(const Node& node, std::size_t slot, std::size_t j, Split<Cell>& found) const {
    found.feature = kNone;
    found.score = node.score;
    const Scan<Kind> scan(grid_, options_.rules, node.bounds, node.total);
    scan.look(features_[j], cells(slot) + j * kBins, found);
  }

  // The best of the candidate features; `found`: what each of them offers, if that is known.
  void choose(Node& node, Split<Cell>* found) {
    node.best.feature = kNone;
    node.best.score = node.score;
    if (!may_split(node)) return;
    for (const std::size_t j : candidates(node)) {
      Split<Cell> one;
      if (found && options_.max_features >= 1) one = found[j];
      else look_at(node, node.slot, j, one);
      if (one.feature != kNone && one.score > node.best.score * kTie) node.best = one;
    }
  }

  std::vector<std::size_t> candidates(const Node& node) const {
    std::vector<std::size_t> allowed;
    for (std::size_t j = 0; j < rows_.d; ++j) {
      const auto has = [&](std::size_t group) { return options_.groups[group * rows_.d + j] != 0; };
      if (options_.n_groups == 0 || std::any_of(node.groups.begin(), node.groups.end(), has)) allowed.push_back(j);
    }
    if (options_.max_features >= 1) return allowed;
    const auto wanted = static_cast<std::size_t>(
        std::max(1.0, std::ceil(options_.max_features * static_cast<double>(allowed.size()))));
    std::stable_sort(allowed.begin(), allowed.end(), [&](std::size_t a, std::size_t b) {
      return mixed(node.key + (a + 3) * kGold) < mixed(node.key + (b + 3) * kGold);
    });
    const Scan<Kind> scan(grid_, options_.rules, node.bounds, node.total);
    std::vector<std::size_t> out;
    for (const std::size_t j : allowed) {
      if (out.size() == wanted) break;
      if (scan.varies(features_[j], cells(node.slot) + j * kBins)) out.push_back(j);
    }
    std::sort(out.begin(), out.end());
    return out;
  }

  Cell* cells(std::size_t slot) const { return reinterpret_cast<Cell*>(memory_.slots[slot]->data()); }

  std::size_t take_slot() {
    std::size_t slot;
    if (memory_.free.empty()) {
      slot = memory_.slots.size();
      memory_.slots.push_back(std::make_unique<Aligned<Four>>());
      memory_.slots.back()->reset(leaves_of(cells_ * sizeof(Cell), sizeof(Four)), false);
    } else {
      slot = memory_.free.back();
      memory_.free.pop_back();
      const std::size_t needed = leaves_of(cells_ * sizeof(Cell), sizeof(Four));
      if (memory_.slots[slot]->size() < needed) memory_.slots[slot]->reset(needed, false);
    }
    used_.push_back(slot);
    return slot;
  }
  bool memory_full() const { return memory_.free.empty() && memory_.slots.size() * cells_ * sizeof(Cell) > kMostBytes; }

  void release(Node& node) {
    if (node.slot == kNone) return;
    used_.erase(std::find(used_.begin(), used_.end(), node.slot));
    memory_.free.push_back(node.slot);
    node.slot = kNone;
  }

  const BinnedRows& rows_;
  const std::vector<Feature>& features_;
  const Statistics& statistics_;
  const Grid& grid_;
  const Options& options_;
  Memory& memory_;
  std::size_t cells_;
  std::vector<Split<Cell>> found_;
  std::vector<std::size_t> parts_{kNone}, used_;
  std::vector<std::uint8_t> filled_;
  Grown out_;
};

}  // namespace

Grown grow(const BinnedRows& rows, const std::vector<Feature>& features, const Statistics& statistics,
           const Options& options, Memory& memory) {
  switch (statistics.form) {
    case Form::same: return Grower<Same>(rows, features, statistics, options, memory).run();
    case Form::counted: return Grower<Counted>(rows, features, statistics, options, memory).run();
    default: return Grower<Three>(rows, features, statistics, options, memory).run();
  }
}

}  // namespace surefit::histogram
