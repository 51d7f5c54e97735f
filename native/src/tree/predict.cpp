#include "tree/predict.hpp"

#include <algorithm>
#include <vector>

#include "surefit/parallel.hpp"
#include "tree/packed.hpp"
#include "tree/small_tree.hpp"

namespace surefit::trees {

namespace {

constexpr std::size_t kPackRows = 4;                // a tree is packed for at least one row to so many nodes
constexpr std::size_t kRankTrees = 8;               // fewer trees are walked by numbers
constexpr std::size_t kPackedNodes = 1u << 22;      // packed at a time
constexpr std::size_t kBlockNumbers = 1u << 15;     // numbers in a block of rows: it stays in cache while trees change
constexpr std::size_t kDenseNumbers = 1u << 20;     // the same for rows that are written out
constexpr std::size_t kLeastRows = 64, kMostRows = 4096;

template <class R>
std::size_t block_rows(const R& rows, int n_threads) {
  const std::size_t d = std::max<std::size_t>(rows.d, 1);
  if constexpr (R::sparse) {
    return std::clamp<std::size_t>(kDenseNumbers / d, 1, kMostRows);
  } else {
    const std::size_t share = rows.n / (4 * static_cast<std::size_t>(n_threads)) + 1;
    return std::clamp<std::size_t>(std::min(kBlockNumbers / d, share), kLeastRows, kMostRows);
  }
}

// body(x, first, n) with the rows first … first + n - 1 written out one after the other at x.
template <class R, class Body>
void dense_block(const R& rows, std::size_t first, std::size_t n, std::vector<typename R::Scalar>& buffer, Body&& body) {
  if constexpr (R::sparse) {
    buffer.resize(std::max(buffer.size(), n * rows.d));  // zero between blocks
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = rows.row(first + i);
      for (std::size_t e = 0; e < row.size(); ++e) buffer[i * rows.d + static_cast<std::size_t>(row.column[e])] += row.x[e];
    }
    body(buffer.data());
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = rows.row(first + i);
      for (std::size_t e = 0; e < row.size(); ++e) buffer[i * rows.d + static_cast<std::size_t>(row.column[e])] = 0;
    }
  } else {
    body(rows.x + first * rows.d);
  }
}

// What a thread writes to, block after block.
struct Room {
  std::vector<Rank> ranks, columns, missing_low;
  std::vector<std::int32_t> leaves;
  Walkers walkers;
};

// A group of trees laid out for the walks of many rows: by ranks where that pays, else by numbers; a tree that is large
// beside the rows is walked where it is.
template <class T>
class Laid {
 public:
  Laid(std::span<const Arrays> trees, std::size_t n_rows, std::size_t d, int n_threads) : trees_(trees) {
    std::size_t n_nodes = 0;
    for (const Arrays& tree : trees) {
      if (tree.n_features != d) throw std::invalid_argument("X has another number of columns than the tree");
      if (tree.n_nodes == 0) throw std::invalid_argument("the tree has no nodes");
      n_nodes += tree.n_nodes;
    }
    if (n_rows * kPackRows * trees.size() >= n_nodes && trees.size() >= kRankTrees && ranks_.read(trees)) {
      by_rank_.resize(trees.size());
      small_.resize(trees.size());
      is_small_.resize(trees.size());
    } else {
      by_number_.resize(trees.size());
    }
    parallel_for(trees.size(), n_threads, [&](std::size_t t, int) {
      if (!by_rank_.empty()) {
        const auto column = [&](std::int32_t j) { return ranks_.column(j); };
        const auto place = [&](std::size_t node) { return ranks_.place(t, node, trees[t].feature[node]); };
        is_small_[t] = small_[t].pack(trees[t], column, place);
        if (!is_small_[t]) by_rank_[t].pack(trees[t], column, place);
      } else if (n_rows * kPackRows >= trees[t].n_nodes) {
        by_number_[t].pack(trees[t], [](std::int32_t j) { return static_cast<std::uint32_t>(j); },
                           [&](std::size_t node) { return narrowed<T>(trees[t].threshold[node]); });
      }
    });
    for (const char small : is_small_) (small ? some_small_ : some_large_) = true;
  }

  // sink(tree, leaves) for one tree after the other, with the leaves of rows 0 … n-1 at x.
  template <class Sink>
  void walk_block(const T* x, std::size_t n, std::size_t d, Room& room, const Sink& sink) const {
    const std::size_t padded = (n + kBitRows - 1) / kBitRows * kBitRows;
    room.leaves.resize(std::max(room.leaves.size(), padded));
    std::int32_t* leaves = room.leaves.data();
    const bool missing = some_large_ && ranks_.write(x, n, d, room.ranks);
    const bool low = some_small_ && ranks_.write_columns(x, n, d, padded, room.columns, room.missing_low);
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      if (some_small_ && is_small_[t]) {
        small_[t].walk_rows(room.columns.data(), low ? room.missing_low.data() : room.columns.data(), padded, leaves);
      } else if (!by_rank_.empty()) {
        by_rank_[t].walk_rows(room.ranks.data(), n, ranks_.width(), missing, room.walkers, leaves);
      } else if (!by_number_[t].empty()) {
        by_number_[t].walk_rows(x, n, d, true, room.walkers, leaves);
      } else {
        for (std::size_t i = 0; i < n; ++i) leaves[i] = walk(trees_[t], x + i * d);
      }
      sink(t, leaves);
    }
  }

 private:
  std::span<const Arrays> trees_;
  Ranks<T> ranks_;
  std::vector<Packed<Rank>> by_rank_;
  std::vector<SmallTree> small_;
  std::vector<char> is_small_;  // written by several threads
  bool some_small_ = false, some_large_ = false;
  std::vector<Packed<T>> by_number_;
};

// sink(first, n, tree, leaves) for all blocks of rows first … first + n - 1 and all trees, for one block in their order.
template <class R, class Sink>
void walk_group(std::span<const Arrays> trees, std::size_t first_tree, const R& rows, int n_threads, const Sink& sink) {
  using T = typename R::Scalar;
  const Laid<T> laid(trees, rows.n, rows.d, n_threads);
  const std::size_t step = block_rows(rows, n_threads);
  std::vector<std::vector<T>> buffer(static_cast<std::size_t>(n_threads));
  std::vector<Room> room(static_cast<std::size_t>(n_threads));
  parallel_for((rows.n + step - 1) / step, n_threads, [&](std::size_t task, int thread) {
    const std::size_t first = task * step, n = std::min(step, rows.n - first), mine = static_cast<std::size_t>(thread);
    dense_block(rows, first, n, buffer[mine], [&](const T* x) {
      laid.walk_block(x, n, rows.d, room[mine], [&](std::size_t t, const std::int32_t* leaves) {
        sink(first, n, first_tree + t, leaves);
      });
    });
  });
}

template <class R, class Sink>
void walk_all(std::span<const Arrays> trees, const R& rows, int n_threads, const Sink& sink) {
  if (rows.n == 0) return;
  for (std::size_t start = 0; start < trees.size();) {
    std::size_t end = start, nodes = 0;
    do nodes += trees[end++].n_nodes;
    while (end < trees.size() && nodes < kPackedNodes);
    walk_group(trees.subspan(start, end - start), start, rows, n_threads, sink);
    start = end;
  }
}

}  // namespace

template <Rows R>
void apply(std::span<const Arrays> trees, const R& rows, int n_threads, std::int64_t* leaves) {
  walk_all(trees, rows, n_threads, [&](std::size_t first, std::size_t n, std::size_t t, const std::int32_t* found) {
    for (std::size_t i = 0; i < n; ++i) leaves[(first + i) * trees.size() + t] = found[i];
  });
}

namespace {

// total (n × width) += the values of the leaves; a width of 0 is known at run time only.
template <std::size_t fixed>
void add_values(const Arrays& tree, const std::int32_t* leaves, std::size_t n, double* total) {
  const std::size_t width = fixed > 0 ? fixed : tree.width;
  for (std::size_t i = 0; i < n; ++i) {
    const double* value = tree.value + static_cast<std::size_t>(leaves[i]) * width;
    for (std::size_t k = 0; k < width; ++k) total[i * width + k] += value[k];
  }
}

}  // namespace

template <Rows R>
void add_up(std::span<const Arrays> trees, const R& rows, int n_threads, double* total) {
  const std::size_t width = trees.empty() ? 0 : trees[0].width;
  for (const Arrays& tree : trees) {
    if (tree.width != width) throw std::invalid_argument("the trees have values of different widths");
  }
  std::fill_n(total, rows.n * width, 0.0);
  const auto add = width == 1 ? add_values<1> : width == 2 ? add_values<2> : add_values<0>;
  walk_all(trees, rows, n_threads, [&](std::size_t first, std::size_t n, std::size_t t, const std::int32_t* leaves) {
    add(trees[t], leaves, n, total + first * width);
  });
}

#define SUREFIT_INSTANTIATE(R)                                                            \
  template void apply(std::span<const Arrays>, const R&, int, std::int64_t*);             \
  template void add_up(std::span<const Arrays>, const R&, int, double*);
SUREFIT_EACH_ROWS(SUREFIT_INSTANTIATE)

}  // namespace surefit::trees
