#include "search/kd_tree.hpp"

#include "search/split_rows.hpp"
#include "surefit/fold.hpp"
#include "surefit/parallel.hpp"

namespace surefit::search {
namespace {

constexpr std::size_t kTaskLeaves = 256;  // smaller subtrees are built by one thread

class Builder {
 public:
  template <class T>
  Builder(const DenseRows<T>& rows, int n_threads)
      : d_(rows.d), n_threads_(n_threads), spaces_(n_threads), rows_(rows, n_threads) {
    tree_.n = rows.n;
    tree_.d = d_;
    tree_.n_leaves = leaves_of(rows.n, kLeafRows);
    const std::size_t n_nodes = 2 * tree_.n_leaves - 1;
    tree_.points.reset(tree_.n_leaves * d_ * kLeafRows, false);
    tree_.ids.reset(tree_.n_leaves * kLeafRows, false);
    tree_.boxes.reset(n_nodes * 2 * d_, false);
    tree_.first.resize(n_nodes);
    tree_.column.assign(n_nodes, 0);
    tree_.split.assign(n_nodes, 0);
  }

  KdTree build() {
    std::vector<Node> level{tree_.root()};
    while (level.size() < 4096 && level[0].end_leaf - level[0].first_leaf > kTaskLeaves) {
      parallel_for(level.size(), n_threads_, [&](std::size_t i, int thread) { split(level[i], spaces_.of(thread)); });
      std::vector<Node> next;
      for (const Node& node : level) next.insert(next.end(), {node.left(), node.right()});
      level = std::move(next);
    }
    parallel_for(level.size(), n_threads_, [&](std::size_t i, int thread) { below(level[i], spaces_.of(thread)); });
    return std::move(tree_);
  }

 private:
  void below(const Node& node, SplitSpace& space) {
    split(node, space);
    if (node.is_leaf()) return;
    below(node.left(), space);
    below(node.right(), space);
  }

  void split(const Node& node, SplitSpace& space) {
    const std::size_t lo = node.first_leaf * kLeafRows, hi = lo + tree_.rows(node);
    double* low = tree_.boxes.data() + node.number * 2 * d_;
    const std::size_t widest = rows_.bound(lo, hi, low, low + d_);
    tree_.first[node.number] = rows_.ids()[lo];
    if (node.is_leaf()) return fill(node.first_leaf, lo, hi - lo);
    tree_.column[node.number] = static_cast<std::uint32_t>(widest);
    tree_.split[node.number] = rows_.split_by_rank(lo, hi, node.left_leaves() * kLeafRows, widest, space);
  }

  void fill(std::size_t leaf, std::size_t lo, std::size_t count) {
    double* points = tree_.points.data() + leaf * d_ * kLeafRows;
    for (std::size_t j = 0; j < d_; ++j, points += kLeafRows) {
      std::copy_n(rows_.column(j) + lo, count, points);
      std::fill(points + count, points + kLeafRows, 0.0);
    }
    std::int64_t* ids = tree_.ids.data() + leaf * kLeafRows;
    std::copy_n(rows_.ids() + lo, count, ids);
    std::fill(ids + count, ids + kLeafRows, std::int64_t{-1});
  }

  std::size_t d_;
  int n_threads_;
  PerThread<SplitSpace> spaces_;
  KdTree tree_;
  SplitRows rows_;
};

}  // namespace

template <class T>
KdTree build_tree(const DenseRows<T>& rows, int n_threads) {
  const double work = static_cast<double>(rows.n) * (static_cast<double>(rows.d) + 10) * 10;
  return Builder(rows, threads_for(work * kScalarNs, n_threads)).build();
}

template KdTree build_tree(const DenseF32&, int);
template KdTree build_tree(const DenseF64&, int);

}  // namespace surefit::search
