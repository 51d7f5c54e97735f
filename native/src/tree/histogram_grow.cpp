#include "histogram_grow.hpp"

#include <numeric>
#include <utility>

#include "histogram_nodes.hpp"
#include "surefit/fold.hpp"

namespace surefit::histogram {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 29;  // of histograms kept for nodes that wait
constexpr double kUpdateNs = 0.6;                         // one row added to one feature
constexpr double kScanNs = 4;                             // one bin merged, subtracted and looked at
constexpr std::size_t kChunk = 1024;

template <class Kind>
class Grower : Nodes<Kind> {
 public:
  using Base = Nodes<Kind>;
  using typename Base::Cell;
  using typename Base::Node;

  Grower(const BinnedRows& rows, const std::vector<Feature>& features, const Statistics& statistics,
         const Options& options, Memory& memory)
      : Base(features, rows.has_missing, statistics.grid, options), rows_(rows), statistics_(statistics),
        memory_(memory), cells_(rows.d * kBins), found_(2 * rows.d) {
    memory_.order.resize(rows.n);
    memory_.scratch.resize(2 * rows.n);
    std::iota(memory_.order.begin(), memory_.order.end(), 0u);
  }

  Grown run() {
    Node root = this->root_node(rows_.n);
    root.slot = take_slot();
    fill_rows(root, true);
    finish_fill(root.slot, kNone, nullptr, nullptr);
    for (std::size_t b = 0; b < kBins; ++b) root.total += cells(root.slot)[b];
    measure(root);
    this->choose(root, cells(root.slot), nullptr);
    options_.max_leaves == 0 ? depth_first(root) : best_first(root);
    for (const std::size_t slot : used_) memory_.free.push_back(slot);
    return std::move(out_);
  }

 private:
  using Base::features_;
  using Base::grid_;
  using Base::options_;
  using Base::out_;
  using Base::may_split;
  using Base::measure;
  using Base::record;

  struct Less {
    bool operator()(const std::unique_ptr<Node>& a, const std::unique_ptr<Node>& b) const {
      return Base::later(*a, *b);
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

  void split(Node& node, Node& left, Node& right, bool last) {
    const std::size_t n_left =
        partition(memory_.order.data(), node.lo, node.hi, rows_.column(node.best.feature),
                  Base::goes_left(node.best).data(), memory_.scratch.data(), rows_.n, options_.n_threads);
    left.lo = node.lo;
    left.hi = right.lo = node.lo + n_left;
    right.hi = node.hi;
    this->part(node, left, right);
    this->record_split(node, left, right);
    prepare(node, left, right, last);
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
      if (small_may) this->choose(small, cells(small.slot), found_.data());
      if (large_may) this->choose(large, cells(large.slot), found_.data() + rows_.d);
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
    this->choose(node, cells(node.slot), found_.data());
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
    const auto* statistics = statistics_.template of<Kind>();
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
      if (look && first) this->look_at(*first, cells(small), j, found_[j]);
      if (look && second) this->look_at(*second, cells(large), j, found_[rows_.d + j]);
    });
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
  const Statistics& statistics_;
  Memory& memory_;
  std::size_t cells_;
  std::vector<Split<Cell>> found_;
  std::vector<std::size_t> parts_{kNone}, used_;
  std::vector<std::uint8_t> filled_;
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
