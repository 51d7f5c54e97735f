#include "histogram_merged.hpp"

#include <cstring>
#include <numeric>
#include <stdexcept>

#include "histogram_nodes.hpp"

namespace surefit::histogram {
namespace {

constexpr std::size_t kAskedBytes = std::size_t{1} << 27;  // of histograms asked for at a time
constexpr std::size_t kKeptBytes = std::size_t{1} << 29;   // of histograms kept for nodes that wait

template <class Kind>
class Merged final : public MergedGrowth, Nodes<Kind> {
  using Base = Nodes<Kind>;
  using typename Base::Cell;
  using typename Base::Node;
  using Base::d_;
  using Base::grid_;
  using Base::may_split;
  using Base::options_;
  using Base::out_;

  struct Item {
    Node node;
    std::vector<Cell> cells;  // none where they were not kept
    std::size_t left = kNone, right = kNone;
    bool is_parted() const { return left != kNone; }
  };

 public:
  Merged(const std::vector<Feature>& features, const std::vector<std::uint8_t>& has_missing, const Grid& grid,
         const Options& options, std::size_t n_rows)
      : Base(features, has_missing, grid, options), n_rows_(n_rows) {}

  void take_root(const std::int64_t* cells) override {
    Item& root = add();
    root.node = this->root_node(n_rows_);
    root.cells = histogram(cells);
    for (std::size_t b = 0; b < kBins; ++b) root.node.total += root.cells[b];
    this->measure(root.node);
    this->choose(root.node, root.cells.data(), nullptr);
  }

  const Asked& ask() override {
    asked_ = {};
    bool last = false;
    std::vector<std::size_t> open = options_.max_leaves == 0 ? every_open() : best_open(last);
    if (open.empty() && options_.max_leaves == 0) write_depth_first();
    const std::size_t most = std::max<std::size_t>(1, kAskedBytes / (d_ * kBins * sizeof(Cell)));
    if (open.size() > most) open.resize(most);
    for (const std::size_t number : open) part_ahead(number, last);
    return asked_;
  }

  void take(const std::int64_t* sizes, const std::int64_t* cells) override {
    std::size_t next = 0;
    const auto is_counted = [&](std::size_t number) {
      return next < asked_.counted.size() && asked_.counted[next] == static_cast<std::int64_t>(number);
    };
    for (std::size_t i = 0; i < asked_.node.size(); ++i) {
      Item& parent = *items_[static_cast<std::size_t>(asked_.node[i])];
      Item& left = *items_[parent.left];
      Item& right = *items_[parent.right];
      left.node.hi = static_cast<std::size_t>(sizes[2 * i]);
      right.node.hi = static_cast<std::size_t>(sizes[2 * i + 1]);
      for (const std::size_t number : {parent.left, parent.right}) {
        if (is_counted(number)) items_[number]->cells = histogram(cells + next++ * d_ * kBins * kLanes);
      }
      if (left.cells.empty() != right.cells.empty() && !parent.cells.empty()) {
        const std::vector<Cell>& known = left.cells.empty() ? right.cells : left.cells;
        for (std::size_t c = 0; c < known.size(); ++c) parent.cells[c] -= known[c];
        (left.cells.empty() ? left : right).cells = std::move(parent.cells);
      }
      forget(parent);
      for (Item* child : {&left, &right}) decide(*child);
    }
  }

  const Grown& grown() const override { return out_; }
  const std::vector<std::int64_t>& part_node() const override { return part_node_; }

 private:
  static constexpr std::size_t kLanes = sizeof(Cell) / sizeof(std::int64_t);

  Item& add() {
    items_.push_back(std::make_unique<Item>());
    return *items_.back();
  }

  std::vector<Cell> histogram(const std::int64_t* from) {
    std::vector<Cell> out(d_ * kBins);
    std::memcpy(out.data(), from, out.size() * sizeof(Cell));
    return out;
  }

  void forget(Item& item) { item.cells = std::vector<Cell>(); }

  void decide(Item& child) {
    if (child.cells.empty()) return;
    this->choose(child.node, child.cells.data(), nullptr);
    std::size_t kept = 0;
    for (const auto& item : items_) kept += item->cells.size();
    if (!child.node.splits() || kept * sizeof(Cell) > kKeptBytes) forget(child);
  }

  // The children of a node, and which of them have to be counted: the lighter one where the other follows from it.
  void part_ahead(std::size_t number, bool last) {
    const std::size_t l = items_.size(), r = l + 1;
    Item& left = add();
    Item& right = add();
    Item& item = *items_[number];
    item.left = l;
    item.right = r;
    this->part(item.node, left.node, right.node);
    left.node.hi = right.node.hi = 2;  // until their rows are known: enough
    asked_.node.push_back(static_cast<std::int64_t>(number));
    asked_.feature.push_back(static_cast<std::int64_t>(item.node.best.feature));
    const auto goes = Base::goes_left(item.node.best);
    asked_.goes_left.insert(asked_.goes_left.end(), goes.begin(), goes.end());
    const bool left_may = !last && may_split(left.node), right_may = !last && may_split(right.node);
    if (!left_may && !right_may) return;
    const bool light = Kind::sums(left.node.total, grid_).c <= Kind::sums(right.node.total, grid_).c;
    const bool follows = !item.cells.empty();
    if (follows ? light : left_may) asked_.counted.push_back(static_cast<std::int64_t>(l));
    if (follows ? !light : right_may) asked_.counted.push_back(static_cast<std::int64_t>(r));
  }

  std::vector<std::size_t> every_open() const {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i]->node.splits() && !items_[i]->is_parted()) open.push_back(i);
    }
    return open;
  }

  std::size_t write(std::size_t number) {
    this->record(items_[number]->node);
    part_node_.push_back(static_cast<std::int64_t>(number));
    return items_[number]->node.id;
  }

  void write_split(const Item& item) {
    this->record_split(item.node, items_[item.left]->node, items_[item.right]->node);
  }

  // Writes the tree as far as it is known; the nodes that have to be parted for it to go on. A node that r others come
  // before waits for r splits at least.
  std::vector<std::size_t> best_open(bool& last) {
    out_ = {};
    part_node_.clear();
    std::vector<std::size_t> heap;
    const auto less = [&](std::size_t a, std::size_t b) { return Base::later(items_[a]->node, items_[b]->node); };
    const auto open = [&](std::size_t number) {
      write(number);
      if (!items_[number]->node.splits()) return;
      heap.push_back(number);
      std::push_heap(heap.begin(), heap.end(), less);
    };
    open(0);
    std::size_t n_leaves = 1;
    while (!heap.empty() && n_leaves < options_.max_leaves && items_[heap.front()]->is_parted()) {
      std::pop_heap(heap.begin(), heap.end(), less);
      const Item& item = *items_[heap.back()];
      heap.pop_back();
      ++n_leaves;
      write_split(item);
      out_.left[item.node.id] = static_cast<std::int64_t>(out_.left.size());
      open(item.left);
      out_.right[item.node.id] = static_cast<std::int64_t>(out_.left.size());
      open(item.right);
    }
    std::sort(heap.begin(), heap.end(), [&](std::size_t a, std::size_t b) { return less(b, a); });
    const std::size_t remaining = options_.max_leaves - std::min(n_leaves, options_.max_leaves);
    heap.resize(std::min(heap.size(), remaining));
    std::erase_if(heap, [&](std::size_t number) { return items_[number]->is_parted(); });
    last = remaining == 1;
    return heap;
  }

  void write_depth_first() {
    struct Waiting {
      std::size_t number, parent;
      bool is_left;
    };
    std::vector<Waiting> stack{{0, kNone, false}};
    while (!stack.empty()) {
      const Waiting at = stack.back();
      stack.pop_back();
      const std::size_t id = write(at.number);
      if (at.parent != kNone) (at.is_left ? out_.left : out_.right)[at.parent] = static_cast<std::int64_t>(id);
      const Item& item = *items_[at.number];
      if (!item.is_parted()) continue;
      write_split(item);
      stack.push_back({item.right, id, false});
      stack.push_back({item.left, id, true});
    }
  }

  std::size_t n_rows_;
  std::vector<std::unique_ptr<Item>> items_;
  std::vector<std::int64_t> part_node_;
  Asked asked_;
};

}  // namespace

std::unique_ptr<MergedGrowth> MergedGrowth::make(Form form, const std::vector<Feature>& features,
                                                 const std::vector<std::uint8_t>& has_missing, const Grid& grid,
                                                 const Options& options, std::size_t n_rows) {
  switch (form) {
    case Form::same: return std::make_unique<Merged<Same>>(features, has_missing, grid, options, n_rows);
    case Form::counted: return std::make_unique<Merged<Counted>>(features, has_missing, grid, options, n_rows);
    default: return std::make_unique<Merged<Three>>(features, has_missing, grid, options, n_rows);
  }
}

void PartNodes::start(std::size_t n_rows) {
  order.resize(n_rows);
  scratch_.resize(2 * n_rows);
  std::iota(order.begin(), order.end(), 0u);
  first_.assign(1, 0);
  size_.assign(1, static_cast<std::int64_t>(n_rows));
}

void PartNodes::split(std::size_t node, Column column, const std::uint8_t* goes_left) {
  const std::int64_t lo = first_[node], n = size_[node];
  const std::size_t n_left = partition(order.data(), static_cast<std::size_t>(lo), static_cast<std::size_t>(lo + n),
                                       column, goes_left, scratch_.data(), order.size(), 1);
  const auto left = static_cast<std::int64_t>(n_left);
  first_.insert(first_.end(), {lo, lo + left});
  size_.insert(size_.end(), {left, n - left});
}

void PartNodes::count(std::size_t node, const BinnedRows& rows, const Statistics& statistics,
                      std::int64_t* cells) const {
  const auto add = [&]<class Kind>(const Kind&) {
    const auto lo = static_cast<std::size_t>(first_[node]), hi = lo + static_cast<std::size_t>(size_[node]);
    Aligned<typename Kind::Cell> own;
    own.reset(rows.d * kBins, true);
    SUREFIT_TABLE(histogram_loops)
        .template of<Kind>()
        .fill(rows.bins, rows.d, order.data(), lo, hi, statistics.template of<Kind>(), statistics.grid.shift, own.data());
    std::memcpy(cells, own.data(), rows.d * kBins * sizeof(typename Kind::Cell));
  };
  switch (statistics.form) {
    case Form::same: return add(Same());
    case Form::counted: return add(Counted());
    default: return add(Three());
  }
}

}  // namespace surefit::histogram
