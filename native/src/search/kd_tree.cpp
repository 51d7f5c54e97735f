#include "search/kd_tree.hpp"

#include "surefit/fold.hpp"
#include "surefit/parallel.hpp"

namespace surefit::search {
namespace {

constexpr std::size_t kTaskLeaves = 256;  // smaller subtrees are built by one thread

struct Key {
  double value;
  std::size_t row;
  bool operator<(const Key& other) const { return value < other.value; }
};

// What one node is split in.
struct Space {
  std::vector<Key> keys;
  std::vector<double> rows;
  std::vector<std::int64_t> ids;
};

class Builder {
 public:
  template <class T>
  Builder(const DenseRows<T>& rows, int n_threads) : d_(rows.d), n_threads_(n_threads), spaces_(n_threads) {
    tree_.n = rows.n;
    tree_.d = d_;
    tree_.n_leaves = leaves_of(rows.n, kLeafRows);
    const std::size_t n_nodes = 2 * tree_.n_leaves - 1;
    tree_.points.reset(tree_.n_leaves * d_ * kLeafRows);
    tree_.ids.assign(tree_.n_leaves * kLeafRows, -1);
    tree_.boxes.reset(n_nodes * 2 * d_);
    tree_.first.resize(n_nodes);
    tree_.column.assign(n_nodes, 0);
    tree_.split.assign(n_nodes, 0);
    rows_.reset(rows.n * d_, false);
    ids_.resize(rows.n);
    for (std::size_t i = 0; i < rows.n * d_; ++i) rows_[i] = static_cast<double>(rows.x[i]);
    for (std::size_t i = 0; i < rows.n; ++i) ids_[i] = static_cast<std::int64_t>(i);
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
  void below(const Node& node, Space& space) {
    split(node, space);
    if (node.is_leaf()) return;
    below(node.left(), space);
    below(node.right(), space);
  }

  void split(const Node& node, Space& space) {
    const std::size_t lo = node.first_leaf * kLeafRows, count = tree_.rows(node);
    const std::size_t widest = bound(node, lo, count);
    if (node.is_leaf()) return fill(node.first_leaf, lo, count);
    const std::size_t half = node.left_leaves() * kLeafRows;
    space.keys.resize(count);
    for (std::size_t i = 0; i < count; ++i) space.keys[i] = {rows_[(lo + i) * d_ + widest], lo + i};
    std::nth_element(space.keys.begin(), space.keys.begin() + static_cast<std::ptrdiff_t>(half), space.keys.end());
    tree_.column[node.number] = static_cast<std::uint32_t>(widest);
    tree_.split[node.number] = space.keys[half].value;
    space.rows.resize(count * d_);
    space.ids.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const double* row = rows_.data() + space.keys[i].row * d_;
      for (std::size_t j = 0; j < d_; ++j) space.rows[i * d_ + j] = row[j];
      space.ids[i] = ids_[space.keys[i].row];
    }
    std::copy_n(space.rows.data(), count * d_, rows_.data() + lo * d_);
    std::copy_n(space.ids.data(), count, ids_.data() + lo);
  }

  // The box and the lowest id of a node; returns the column of the widest spread.
  std::size_t bound(const Node& node, std::size_t lo, std::size_t count) {
    double* low = tree_.boxes.data() + node.number * 2 * d_;
    double* high = low + d_;
    std::copy_n(rows_.data() + lo * d_, d_, low);
    std::copy_n(low, d_, high);
    const double* row = rows_.data() + lo * d_;
    for (std::size_t i = 1; i < count; ++i) {
      row += d_;
      for (std::size_t j = 0; j < d_; ++j) {
        low[j] = row[j] < low[j] ? row[j] : low[j];
        high[j] = row[j] > high[j] ? row[j] : high[j];
      }
    }
    const auto from = ids_.begin() + static_cast<std::ptrdiff_t>(lo);
    tree_.first[node.number] = *std::min_element(from, from + static_cast<std::ptrdiff_t>(count));
    std::size_t widest = 0;
    for (std::size_t j = 1; j < d_; ++j) {
      if (0.5 * high[j] - 0.5 * low[j] > 0.5 * high[widest] - 0.5 * low[widest]) widest = j;
    }
    return widest;
  }

  void fill(std::size_t leaf, std::size_t lo, std::size_t count) {
    double* points = tree_.points.data() + leaf * d_ * kLeafRows;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < d_; ++j) points[j * kLeafRows + i] = rows_[(lo + i) * d_ + j];
      tree_.ids[leaf * kLeafRows + i] = ids_[lo + i];
    }
  }

  std::size_t d_;
  int n_threads_;
  PerThread<Space> spaces_;
  KdTree tree_;
  Aligned<double> rows_;  // in the order of the leaves
  std::vector<std::int64_t> ids_;
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
