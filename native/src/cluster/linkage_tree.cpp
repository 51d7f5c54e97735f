#include "cluster/linkage_tree.hpp"

#include <algorithm>
#include <limits>

#include "search/nth_value.hpp"
#include "search/split_rows.hpp"
#include "surefit/fold.hpp"
#include "surefit/parallel.hpp"

namespace surefit::linkage {
namespace {

using search::SplitRows;
using search::SplitSpace;

constexpr std::size_t kSample = 101;
constexpr std::size_t kTaskRows = 4096;  // subtrees of no more rows are built by one thread
constexpr int kByValue = 64;  // levels that keep equal coordinates on one side, so that equal rows meet in one leaf

// Rows lo … hi-1 in the order of the tree.
struct Part {
  std::size_t lo, hi;
  int depth;
};

// Some nodes, the first of them the root of the others.
struct Nodes {
  std::vector<std::int32_t> left;
  std::vector<double> box;

  std::size_t add(std::size_t d) {
    left.push_back(-1);
    box.resize(box.size() + 2 * d);
    return left.size() - 1;
  }
};

// A subtree built by one thread; nodes and slots are counted from its first.
struct Subtree {
  std::size_t root;  // its number in the tree
  Part part;
  Nodes nodes;
  std::vector<std::int32_t> leaves, slots, count;  // of each leaf: its node, its first slot, its points
  std::vector<std::int64_t> place;                 // of each slot: where its row is, −1 where a block is not full
  std::vector<std::pair<std::int32_t, std::int32_t>> copies;
};

class Builder {
 public:
  Builder(const double* x, std::size_t n, std::size_t d, bool merge_copies, int n_threads)
      : n_(n), d_(d), merge_copies_(merge_copies), n_threads_(n_threads), spaces_(n_threads),
        rows_(DenseF64{x, n, d}, n_threads) {}

  Tree build() {
    split_top();
    parallel_for(subtrees_.size(), n_threads_,
                 [&](std::size_t i, int thread) { grow(subtrees_[i], spaces_.of(thread)); });
    return join();
  }

 private:
  // Level after level, until the parts are small.
  void split_top() {
    std::vector<Subtree> level(1);
    level[0].root = top_.add(d_);
    level[0].part = {0, n_, 0};
    while (!level.empty()) {
      std::vector<std::size_t> middle(level.size());
      parallel_for(level.size(), n_threads_, [&](std::size_t i, int thread) {
        const Part& part = level[i].part;
        double* box = top_.box.data() + level[i].root * 2 * d_;
        middle[i] = part.hi - part.lo <= kTaskRows ? part.lo : split(part, box, spaces_.of(thread));
      });
      std::vector<Subtree> next;
      for (std::size_t i = 0; i < level.size(); ++i) {
        const auto [lo, hi, depth] = level[i].part;
        if (middle[i] == lo) {
          subtrees_.push_back(std::move(level[i]));
          continue;
        }
        const std::size_t left = top_.add(d_);
        top_.add(d_);
        top_.left[level[i].root] = static_cast<std::int32_t>(left);
        next.resize(next.size() + 2);
        Subtree* children = &next[next.size() - 2];
        children[0].root = left;
        children[0].part = {lo, middle[i], depth + 1};
        children[1].root = left + 1;
        children[1].part = {middle[i], hi, depth + 1};
      }
      level = std::move(next);
    }
    std::sort(subtrees_.begin(), subtrees_.end(),
              [](const Subtree& p, const Subtree& q) { return p.part.lo < q.part.lo; });
  }

  // Box of a part, and where its right side begins; at its own beginning: it is a leaf. Else neither side is empty.
  std::size_t split(const Part& part, double* box, SplitSpace& space) {
    const std::size_t lo = part.lo, hi = part.hi, count = hi - lo;
    const std::size_t k = rows_.bound(lo, hi, box, box + d_);
    const bool one_place = box[k] == box[d_ + k];
    if (count <= kLeafPoints || (one_place && merge_copies_)) return lo;
    if (one_place || part.depth >= kByValue) {
      rows_.split_by_rank(lo, hi, count / 2, k, space);
      return lo + count / 2;
    }
    double sample[kSample], others[kSample];
    const std::size_t n_sample = std::min(count, kSample);
    for (std::size_t i = 0; i < n_sample; ++i) sample[i] = rows_.column(k)[lo + i * count / n_sample];
    const double value = search::nth_value(sample, n_sample, n_sample / 2, others);
    return lo + rows_.split_by_value(lo, hi, k, value, value > box[k] ? 0 : count, space);
  }

  void grow(Subtree& subtree, SplitSpace& space) {
    struct Waiting {
      std::size_t node;
      Part part;
    };
    std::vector<Waiting> waiting{{subtree.nodes.add(d_), subtree.part}};
    while (!waiting.empty()) {
      const auto [node, part] = waiting.back();
      waiting.pop_back();
      const std::size_t middle = split(part, subtree.nodes.box.data() + node * 2 * d_, space);
      if (middle == part.lo) {
        add_leaf(subtree, node, part);
        continue;
      }
      const std::size_t left = subtree.nodes.add(d_);
      subtree.nodes.add(d_);
      subtree.nodes.left[node] = static_cast<std::int32_t>(left);
      waiting.push_back({left + 1, {middle, part.hi, part.depth + 1}});
      waiting.push_back({left, {part.lo, middle, part.depth + 1}});
    }
  }

  std::int32_t id(std::size_t place) const { return static_cast<std::int32_t>(rows_.ids()[place]); }

  void add_leaf(Subtree& subtree, std::size_t node, const Part& part) {
    const std::size_t first = subtree.place.size();
    for (std::size_t i = part.lo; i < part.hi; ++i) {
      const std::int64_t same = merge_copies_ ? copy_of(subtree.place, first, i) : -1;
      if (same >= 0) {
        subtree.copies.emplace_back(id(static_cast<std::size_t>(same)), id(i));
      } else {
        subtree.place.push_back(static_cast<std::int64_t>(i));
      }
    }
    subtree.leaves.push_back(static_cast<std::int32_t>(node));
    subtree.slots.push_back(static_cast<std::int32_t>(first));
    subtree.count.push_back(static_cast<std::int32_t>(subtree.place.size() - first));
    while (subtree.place.size() % kBlock != 0) subtree.place.push_back(-1);
  }

  // The place of an equal row among those of the leaf, −1 if there is none.
  std::int64_t copy_of(const std::vector<std::int64_t>& places, std::size_t first, std::size_t i) const {
    for (std::size_t s = first; s < places.size(); ++s) {
      std::size_t k = 0;
      while (k < d_ && rows_.column(k)[places[s]] == rows_.column(k)[i]) ++k;
      if (k == d_) return places[s];
    }
    return -1;
  }

  // Where the nodes (but the root), slots and leaves of a subtree begin.
  struct Start {
    std::size_t node, slot, leaf;
  };

  Tree join() {
    std::vector<Start> starts;
    Start end{top_.left.size(), 0, 0};
    for (const Subtree& subtree : subtrees_) {
      starts.push_back(end);
      end.node += subtree.nodes.left.size() - 1;
      end.slot += subtree.place.size();
      end.leaf += subtree.leaves.size();
      tree_.copies.insert(tree_.copies.end(), subtree.copies.begin(), subtree.copies.end());
    }
    tree_.d = d_;
    tree_.n_slots = end.slot;
    tree_.slot.assign(n_, -1);
    tree_.left = top_.left;
    tree_.left.resize(end.node);
    tree_.block.assign(end.node, -1);
    tree_.count.assign(end.node, 0);
    tree_.id.resize(end.slot);
    tree_.leaves.resize(end.leaf);
    tree_.box.reset(end.node * 2 * padded(d_), false);
    tree_.rows.reset(end.slot * padded(d_), false);
    tree_.points.reset(end.slot * d_, false);
    for (std::size_t node = 0; node < top_.left.size(); ++node) put_box(top_, node, node);
    parallel_for(subtrees_.size(), n_threads_, [&](std::size_t i, int) {
      put_nodes(subtrees_[i], starts[i]);
      put_points(subtrees_[i].place, starts[i].slot);
    });
    return std::move(tree_);
  }

  void put_box(const Nodes& nodes, std::size_t node, std::size_t number) {
    const std::size_t wide = padded(d_);
    for (std::size_t side = 0; side < 2; ++side) {
      double* out = tree_.box.data() + (2 * number + side) * wide;
      std::copy_n(nodes.box.data() + (2 * node + side) * d_, d_, out);
      std::fill(out + d_, out + wide, 0.0);
    }
  }

  void put_nodes(const Subtree& subtree, const Start& start) {
    const auto number = [&](std::size_t node) { return node == 0 ? subtree.root : start.node + node - 1; };
    for (std::size_t node = 0; node < subtree.nodes.left.size(); ++node) {
      const std::int32_t left = subtree.nodes.left[node];
      tree_.left[number(node)] = left < 0 ? -1 : static_cast<std::int32_t>(number(static_cast<std::size_t>(left)));
      put_box(subtree.nodes, node, number(node));
    }
    for (std::size_t l = 0; l < subtree.leaves.size(); ++l) {
      const std::size_t node = number(static_cast<std::size_t>(subtree.leaves[l]));
      tree_.leaves[start.leaf + l] = static_cast<std::int32_t>(node);
      tree_.block[node] = static_cast<std::int32_t>((start.slot + static_cast<std::size_t>(subtree.slots[l])) / kBlock);
      tree_.count[node] = subtree.count[l];
    }
  }

  void put_points(const std::vector<std::int64_t>& places, std::size_t first) {
    const std::size_t wide = padded(d_);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::size_t s = first + i;
      const bool empty = places[i] < 0;
      tree_.id[s] = empty ? -1 : id(static_cast<std::size_t>(places[i]));
      if (!empty) tree_.slot[tree_.id[s]] = static_cast<std::int32_t>(s);
      double* row = tree_.rows.data() + s * wide;
      double* block = tree_.points.data() + s / kBlock * kBlock * d_ + s % kBlock;
      for (std::size_t k = 0; k < d_; ++k) {
        row[k] = empty ? 0.0 : rows_.column(k)[places[i]];
        block[k * kBlock] = empty ? std::numeric_limits<double>::infinity() : row[k];
      }
      std::fill(row + d_, row + wide, 0.0);
    }
  }

  std::size_t n_, d_;
  bool merge_copies_;
  int n_threads_;
  PerThread<SplitSpace> spaces_;
  SplitRows rows_;
  Nodes top_;
  std::vector<Subtree> subtrees_;  // in the order of their rows
  Tree tree_;
};

}  // namespace

Tree build_tree(const double* x, std::size_t n, std::size_t d, bool merge_copies, int n_threads) {
  const double work = static_cast<double>(n) * (static_cast<double>(d) + 10) * 10;
  return Builder(x, n, d, merge_copies, threads_for(work * kScalarNs, n_threads)).build();
}

}  // namespace surefit::linkage
