// One tree: the large nodes one after the other, threads over features; then the subtrees, each by one thread, on copies
// that fit into its cache. The numbers of a node are the same sums in the same order wherever it is grown, so the tree
// has the same bits for any number of threads.
#pragma once

#include <algorithm>
#include <memory>
#include <queue>
#include <stdexcept>

#include "tree/exact_append.hpp"
#include "tree/exact_grower.hpp"
#include "tree/exact_local_part.hpp"

namespace surefit::exact_tree {

using Short = std::uint16_t;

// Nodes of at most kShortRows are grown in short numbers. Subtrees of at most kSubtreeRows and about kSubtreeEntries are
// grown by one thread, if there are about kSubtreesOfThread for each.
constexpr std::size_t kShortRows = 8192, kSubtreeRows = 65536, kSubtreesOfThread = 8;
constexpr std::size_t kSubtreeEntries = std::size_t{1} << 21;

template <class C>
class Growth {
 public:
  Growth(const Columns& columns, const Targets& targets, const Options& options, std::int64_t* leaf)
      : columns_(columns), targets_(targets), o_(options), leaf_(leaf) {
    std::fill_n(leaf, columns.n, std::int64_t{-1});
    targets_.n = columns.n;
    if (targets_.code && targets_.n_outputs == 1 && targets_.n_classes <= 256) {
      small_code_.assign(targets_.code, targets_.code + columns.n);
      targets_.small_code = small_code_.data();
    }
    keep_rows();
    if (m_ == 0) throw std::invalid_argument("no row has a positive weight");
  }

  Grown run() {
    Grower<Row, C> grower(o_, all(), total_weight_, o_.n_threads);
    const Node root{0, m_, 0, draws::root_key(o_.seed), -1, false, -kInfinity, kInfinity};
    if (o_.max_leaf_nodes > 0) return best_first(grower, root);
    grow_top(grower, root);
    subtrees_.resize(small_.size());
    number_of_.reset(new Row[columns_.n]);
    std::vector<Workspace> spaces(static_cast<std::size_t>(o_.n_threads));
    parallel_for(small_.size(), m_ * columns_.d > kSerialWork ? o_.n_threads : 1,
                 [&](std::size_t s, int thread) { grow_subtree(s, spaces[static_cast<std::size_t>(thread)], thread); });
    return joined();
  }

 private:
  struct Workspace {  // of a thread
    LocalPart<Row> part;
    LocalPart<Short> short_part;
    std::vector<Row> number_of;
  };

  Part<Row> all() const { return {&columns_, m_, lists_.get(), rows_.get(), nullptr, marks_.get(), targets_}; }
  std::size_t subtree_rows() const {
    if (C::kSlow) return kShortRows;
    const std::size_t share = m_ / (kSubtreesOfThread * static_cast<std::size_t>(o_.n_threads));
    const std::size_t fitting = kSubtreeEntries / std::max<std::size_t>(columns_.d, 1);
    return std::clamp(std::min(share, fitting), kShortRows, kSubtreeRows);
  }

  // Rows of weight zero are not there: the lists without them.
  void keep_rows() {
    const std::size_t n = columns_.n, d = columns_.d;
    rows_.reset(new Row[n]), marks_.reset(new std::uint8_t[n]);
    m_ = 0, total_weight_ = 0;
    for (std::size_t i = 0; i < n; ++i) {
      marks_[i] = !targets_.w || targets_.w[i] > 0;
      rows_[m_] = static_cast<Row>(i);
      m_ += marks_[i], total_weight_ += targets_.w ? targets_.w[i] : 1.0;
    }
    lists_.reset(new Row[d * m_]);
    parallel_for(d, n * d > kSerialWork ? o_.n_threads : 1, [&](std::size_t j, int) {
      const Row* from = columns_.list(j);
      Row* to = lists_.get() + j * m_;
      if (m_ == n) {
        std::copy_n(from, n, to);
        return;
      }
      Row fresh = 0;
      for (std::size_t i = 0, k = 0; i < n && k < m_; ++i) {
        fresh |= from[i] & kNew<Row>;
        if (!marks_[from[i] & ~kNew<Row>]) continue;
        to[k++] = from[i] | fresh;
        fresh = 0;
      }
    });
  }

  // The nodes of more than subtree_rows(), in preorder; the others become subtrees, each with a place in the order.
  void grow_top(Grower<Row, C>& grower, const Node& root) {
    std::vector<Node> waiting{root};
    std::size_t batch = std::min<std::size_t>(m_, 65536);
    while (!waiting.empty()) {
      parallel_for(batch, 1, [&](std::size_t, int) {  // so that interrupts are asked for
        if (waiting.empty()) return;
        const Node node = waiting.back();
        waiting.pop_back();
        if (node.size() <= subtree_rows()) {
          place_of_subtree_.push_back(top_.size());
          small_.push_back(node);
          return;
        }
        const std::size_t number = top_.size();
        const Split split = grower.open(node, top_);
        if (split.feature < 0) {
          top_leaves_.emplace_back(node, number);
          return;
        }
        grower.record_split(top_, number, split);
        const auto children = grower.divide(node, split, static_cast<std::int64_t>(number));
        waiting.push_back(children[1]), waiting.push_back(children[0]);
      });
    }
  }

  void leave(const Node& node, std::size_t number) {
    for (std::size_t i = node.start; i < node.end; ++i) leaf_[rows_[i]] = static_cast<std::int64_t>(number);
  }

  void grow_subtree(std::size_t s, Workspace& space, int thread);
  void grow_short(const Part<Row>& from, const Node& top, Row* number_of, LocalPart<Short>& local, Grown& tree);
  template <class Id, class Branch>
  void grow_below(Grower<Id, C>& grower, const Part<Id>& part, const Node& top, Grown& tree, Branch&& branch);
  Grown best_first(Grower<Row, C>& grower, const Node& root);
  Grown joined();
  void renumber_top(Grown& all, const std::vector<std::size_t>& new_number);

  Columns columns_;
  Targets targets_;
  Options o_;
  std::int64_t* leaf_;
  std::size_t m_ = 0;
  double total_weight_ = 0;
  std::unique_ptr<Row[]> lists_, rows_, number_of_;
  std::unique_ptr<std::uint8_t[]> marks_;
  std::vector<std::uint8_t> small_code_;
  Grown top_;
  std::vector<std::pair<Node, std::size_t>> top_leaves_;
  std::vector<Node> small_;
  std::vector<std::size_t> place_of_subtree_;
  std::vector<Grown> subtrees_;
};

// The nodes from `top` down in preorder, except those that branch(node) grows.
template <class C>
template <class Id, class Branch>
void Growth<C>::grow_below(Grower<Id, C>& grower, const Part<Id>& part, const Node& top, Grown& tree, Branch&& branch) {
  std::vector<Node> waiting{top};
  while (!waiting.empty()) {
    const Node node = waiting.back();
    waiting.pop_back();
    if (branch(node)) continue;
    const std::size_t number = tree.size();
    const Split split = grower.open(node, tree);
    if (split.feature < 0) {
      for (std::size_t i = node.start; i < node.end; ++i) {
        leaf_[part.row_of[part.rows[i]]] = static_cast<std::int64_t>(number);
      }
      continue;
    }
    grower.record_split(tree, number, split);
    const auto children = grower.divide(node, split, static_cast<std::int64_t>(number));
    waiting.push_back(children[1]), waiting.push_back(children[0]);
  }
}

template <class C>
void Growth<C>::grow_short(const Part<Row>& from, const Node& top, Row* number_of, LocalPart<Short>& local,
                           Grown& tree) {
  local.fill(from, top.start, top.size(), number_of);
  Grower<Short, C> grower(o_, local.part, total_weight_, 1);
  Node node = top;
  node.start = 0, node.end = top.size();
  grow_below(grower, local.part, node, tree, [](const Node&) { return false; });
}

template <class C>
void Growth<C>::grow_subtree(std::size_t s, Workspace& space, int thread) {
  Node top = small_[s];
  top.parent = -1;
  Grown& tree = subtrees_[s];
  if (top.size() <= kShortRows) return grow_short(all(), top, number_of_.get(), space.short_part, tree);
  space.part.fill(all(), top.start, top.size(), number_of_.get());
  space.number_of.resize(top.size());
  const Part<Row>& part = space.part.part;
  Grower<Row, C> grower(o_, part, total_weight_, 1);
  top.end = top.size(), top.start = 0;
  grow_below(grower, part, top, tree, [&](const Node& node) {
    poll_task(thread);
    if (node.size() > kShortRows) return false;
    grow_short(part, node, space.number_of.data(), space.short_part, tree);
    return true;
  });
}

template <class C>
Grown Growth<C>::joined() {
  const std::size_t width = targets_.n_outputs * targets_.n_classes;
  std::vector<std::size_t> new_number(top_.size());
  Grown all;
  std::size_t next = 0;
  const auto take_top = [&](std::size_t last) {
    for (std::size_t t = next; t < last; ++t) new_number[t] = all.size() + (t - next);
    append(all, top_, next, last, width);
    next = last;
  };
  all.categories = top_.categories;
  for (std::size_t s = 0; s < small_.size(); ++s) {
    take_top(place_of_subtree_[s]);
    const auto offset = static_cast<std::int64_t>(all.size()), sets = static_cast<std::int64_t>(all.categories.size());
    Grown& piece = subtrees_[s];
    for (std::size_t i = 0; i < piece.size(); ++i) {
      if (piece.left[i] >= 0) piece.left[i] += offset, piece.right[i] += offset;
      if (piece.category_row[i] >= 0) piece.category_row[i] += sets;
    }
    append(all, piece, 0, piece.size(), width);
    all.categories.insert(all.categories.end(), piece.categories.begin(), piece.categories.end());
    for (std::size_t i = small_[s].start; i < small_[s].end; ++i) leaf_[rows_[i]] += offset;
    if (small_[s].parent >= 0) {
      (small_[s].is_left ? top_.left : top_.right)[static_cast<std::size_t>(small_[s].parent)] = ~offset;
    }
    piece = Grown();
  }
  take_top(top_.size());
  renumber_top(all, new_number);
  order_sets(all);
  return all;
}

// Children of the large nodes: large ones by their new numbers, subtrees by their offsets (kept as ~offset).
template <class C>
void Growth<C>::renumber_top(Grown& all, const std::vector<std::size_t>& new_number) {
  const auto final_number = [&](std::int64_t child) {
    return child >= 0 ? static_cast<std::int64_t>(new_number[static_cast<std::size_t>(child)]) : ~child;
  };
  for (std::size_t t = 0; t < top_.size(); ++t) {
    if (top_.feature[t] < 0) continue;
    all.left[new_number[t]] = final_number(top_.left[t]);
    all.right[new_number[t]] = final_number(top_.right[t]);
  }
  for (const auto& [node, number] : top_leaves_) leave(node, new_number[number]);
}

// The leaves are grown in the order of their decrease; of equal ones (kTie of the root) the one created first.
template <class C>
Grown Growth<C>::best_first(Grower<Row, C>& grower, const Node& root) {
  struct Leaf {
    Node node;
    Split split;
  };
  std::vector<Leaf> open;  // with a split, by number of their node
  std::vector<std::size_t> number_of;
  Grown tree;
  std::vector<std::pair<double, std::int64_t>> heap;  // decrease, −place in `open`
  const auto add = [&](const Node& node) {
    const std::size_t number = tree.size();
    const Split split = grower.open(node, tree);
    leave(node, number);
    if (split.feature < 0) return;
    heap.emplace_back(split.decrease, -static_cast<std::int64_t>(open.size()));
    std::push_heap(heap.begin(), heap.end());
    open.push_back({node, split}), number_of.push_back(number);
  };
  const auto next_leaf = [&](double tie) {  // equal ones are taken out, the first created stays out
    const double best = heap.front().first;
    std::vector<std::pair<double, std::int64_t>> equal;
    while (!heap.empty() && heap.front().first >= best - tie) {
      std::pop_heap(heap.begin(), heap.end());
      equal.push_back(heap.back()), heap.pop_back();
    }
    const auto first = std::max_element(equal.begin(), equal.end(),
                                        [](auto& a, auto& b) { return a.second < b.second; });
    const std::size_t place = static_cast<std::size_t>(-first->second);
    for (const auto& e : equal) {
      if (e.second == first->second) continue;
      heap.push_back(e), std::push_heap(heap.begin(), heap.end());
    }
    return place;
  };
  add(root);
  const double tie = kTie * tree.impurity[0] * tree.weight[0];
  std::size_t leaves = 1;
  while (!heap.empty() && leaves < o_.max_leaf_nodes) {
    parallel_for(std::min<std::size_t>(m_, 65536), 1, [&](std::size_t, int) {
      if (heap.empty() || leaves >= o_.max_leaf_nodes) return;
      const std::size_t place = next_leaf(tie), number = number_of[place];
      const Leaf leaf = open[place];
      grower.record_split(tree, number, leaf.split);
      const auto children = grower.divide(leaf.node, leaf.split, static_cast<std::int64_t>(number));
      add(children[0]), add(children[1]);
      ++leaves;
    });
  }
  return tree;
}

}  // namespace surefit::exact_tree
