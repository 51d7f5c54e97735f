#include "tree/predict.hpp"

#include <algorithm>
#include <vector>

#include "surefit/parallel.hpp"
#include "tree/packed.hpp"

namespace surefit::trees {

namespace {

constexpr std::size_t kPackRows = 16;               // a tree is packed for at least one row to so many nodes
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

// sink(i, tree, leaf) for all rows and trees; for one row trees come in their order.
template <class R, class Sink>
void walk_group(std::span<const Arrays> trees, std::size_t first_tree, const R& rows, int n_threads, const Sink& sink) {
  using T = typename R::Scalar;
  std::vector<Packed<T>> packed(trees.size());
  parallel_for(trees.size(), n_threads, [&](std::size_t t, int) {
    if (trees[t].n_features != rows.d) throw std::invalid_argument("X has another number of columns than the tree");
    if (trees[t].n_nodes == 0) throw std::invalid_argument("the tree has no nodes");
    if (rows.n * kPackRows >= trees[t].n_nodes) packed[t].pack(trees[t]);
  });
  const std::size_t step = block_rows(rows, n_threads);
  std::vector<std::vector<T>> buffer(static_cast<std::size_t>(n_threads));
  parallel_for((rows.n + step - 1) / step, n_threads, [&](std::size_t task, int thread) {
    const std::size_t first = task * step, n = std::min(step, rows.n - first);
    dense_block(rows, first, n, buffer[static_cast<std::size_t>(thread)], [&](const T* x) {
      for (std::size_t t = 0; t < trees.size(); ++t) {
        const auto found = [&](std::size_t i, std::int32_t leaf) { sink(first + i, first_tree + t, leaf); };
        if (!packed[t].empty()) {
          packed[t].walk_rows(x, n, rows.d, found);
        } else {
          for (std::size_t i = 0; i < n; ++i) found(i, walk(trees[t], x + i * rows.d));
        }
      }
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
  walk_all(trees, rows, n_threads,
           [&](std::size_t i, std::size_t t, std::int32_t leaf) { leaves[i * trees.size() + t] = leaf; });
}

template <Rows R>
void add_up(std::span<const Arrays> trees, const R& rows, int n_threads, double* total) {
  const std::size_t width = trees.empty() ? 0 : trees[0].width;
  for (const Arrays& tree : trees) {
    if (tree.width != width) throw std::invalid_argument("the trees have values of different widths");
  }
  std::fill_n(total, rows.n * width, 0.0);
  walk_all(trees, rows, n_threads, [&](std::size_t i, std::size_t t, std::int32_t leaf) {
    const double* value = trees[t].value + static_cast<std::size_t>(leaf) * width;
    for (std::size_t k = 0; k < width; ++k) total[i * width + k] += value[k];
  });
}

#define SUREFIT_INSTANTIATE(R)                                                            \
  template void apply(std::span<const Arrays>, const R&, int, std::int64_t*);             \
  template void add_up(std::span<const Arrays>, const R&, int, double*);
SUREFIT_EACH_ROWS(SUREFIT_INSTANTIATE)

}  // namespace surefit::trees
