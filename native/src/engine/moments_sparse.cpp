// Moments of compressed sparse rows.
//
// Within a leaf the products of the features are Σ w x xᵀ over pairs of stored entries, less W m mᵀ; targets are dense
// and enter as deviations from their own leaf mean. Leaves are merged as for dense rows.
#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "fold_tree.hpp"
#include "moments.hpp"
#include "moments_statistic.hpp"
#include "surefit/parallel.hpp"

namespace surefit {
namespace {

constexpr double kSerialWork = 2e5;  // pairs of entries

template <class T, class Index>
void check_rows(const SparseRows<T, Index>& rows) {
  if (rows.indptr[0] != 0) throw std::invalid_argument("indptr must start with 0");
  for (std::size_t k = 0; k < rows.n_rows; ++k) {
    if (rows.indptr[k + 1] < rows.indptr[k]) {
      throw std::invalid_argument("indptr must not decrease; it does after row " + std::to_string(k));
    }
  }
  if (static_cast<std::size_t>(rows.indptr[rows.n_rows]) > rows.n_stored) {
    throw std::invalid_argument("indptr ends at " + std::to_string(rows.indptr[rows.n_rows]) +
                                ", beyond the " + std::to_string(rows.n_stored) + " stored entries");
  }
}

// One row as stored: its entries, then the targets; with the two halves of their place among the blocks.
struct Entries {
  std::vector<std::size_t> column, as_row, as_column;
  std::vector<double> value;
  bool increasing;
};

template <class T, class Index>
class SparseLeaf {
 public:
  SparseLeaf(const SparseRows<T, Index>& rows, const MomentsShape& shape)
      : rows_(rows), shape_(shape), y_mean_(rows.n_targets) {}

  void operator()(std::size_t lo, std::size_t hi, MomentsStatistic& leaf) {
    double *mean = leaf.mean(), *blocks = leaf.blocks(shape_);
    std::fill_n(mean, shape_.padded, 0.0);
    std::fill_n(leaf.low(shape_), shape_.padded, 0.0);
    std::fill_n(blocks, shape_.n_products, 0.0);
    leaf.weight = target_means(lo, hi);
    if (leaf.weight == 0) return;
    for (std::size_t k = lo; k < hi; ++k) {
      const double w = rows_.w ? rows_.w[k] : 1.0;
      if (w == 0) continue;
      read_row(k);
      if (row_.increasing) {
        add_sorted(w, mean, blocks);
      } else {
        add_unsorted(w, mean, blocks);
      }
    }
    for (std::size_t j = 0; j < shape_.n_columns; ++j) mean[j] /= leaf.weight;
    const std::size_t width = shape_.width;
    for (std::size_t j = 0; j < shape_.n_columns; ++j) {
      const double wm = leaf.weight * mean[j];
      if (wm == 0) continue;
      double* column = blocks + shape_.index(0, j);
      for (std::size_t i = 0; i <= j; i += width, column += width * width) {
        for (std::size_t r = 0; r < width; ++r) column[r] -= mean[i + r] * wm;
      }
    }
    for (std::size_t j = 0; j < rows_.n_targets; ++j) mean[rows_.n_features + j] += y_mean_[j];
  }

 private:
  // Fills y_mean_ (shifted by the first row that counts, so that an offset costs no digits); returns the weight.
  double target_means(std::size_t lo, std::size_t hi) {
    double weight = 0;
    std::size_t first = hi;
    for (std::size_t k = lo; k < hi; ++k) {
      const double w = rows_.w ? rows_.w[k] : 1.0;
      if (w == 0) continue;
      if (first == hi) first = k;
      weight += w;
    }
    if (first == hi) return 0;
    const double* y = rows_.y;
    const std::size_t t = rows_.n_targets;
    for (std::size_t j = 0; j < t; ++j) {
      double sum = 0;
      for (std::size_t k = first; k < hi; ++k) {
        const double w = rows_.w ? rows_.w[k] : 1.0;
        if (w != 0) sum += w * (y[k * t + j] - y[first * t + j]);
      }
      y_mean_[j] = y[first * t + j] + sum / weight;
    }
    return weight;
  }

  void append(std::size_t column, double value) {
    row_.increasing = row_.increasing && (row_.column.empty() || row_.column.back() < column);
    row_.column.push_back(column);
    row_.as_row.push_back(column / shape_.width * shape_.width * shape_.width + column % shape_.width);
    row_.as_column.push_back(shape_.index(0, column));
    row_.value.push_back(value);
  }

  void read_row(std::size_t k) {
    row_.column.clear();
    row_.as_row.clear();
    row_.as_column.clear();
    row_.value.clear();
    row_.increasing = true;
    const auto end = static_cast<std::size_t>(rows_.indptr[k + 1]);
    for (auto e = static_cast<std::size_t>(rows_.indptr[k]); e < end; ++e) {
      const Index column = rows_.indices[e];
      if (column < 0 || static_cast<std::size_t>(column) >= rows_.n_features) {
        throw std::invalid_argument("column index " + std::to_string(column) + " in row " + std::to_string(k) +
                                    " is outside 0 … " + std::to_string(rows_.n_features) + " - 1");
      }
      append(static_cast<std::size_t>(column), static_cast<double>(rows_.data[e]));
    }
    for (std::size_t j = 0; j < rows_.n_targets; ++j) {
      append(rows_.n_features + j, rows_.y[k * rows_.n_targets + j] - y_mean_[j]);
    }
  }

  void add_sorted(double w, double* mean, double* blocks) const {
    const std::size_t n = row_.value.size();
    const std::size_t* as_row = row_.as_row.data();
    const double* value = row_.value.data();
    for (std::size_t b = 0; b < n; ++b) {
      const double wv = w * value[b];
      mean[row_.column[b]] += wv;
      double* column = blocks + row_.as_column[b];
      for (std::size_t a = 0; a <= b; ++a) column[as_row[a]] += value[a] * wv;
    }
  }

  // Entries in any order; entries of the same place add up: (v + v')² = v² + 2 v v' + v'².
  void add_unsorted(double w, double* mean, double* blocks) const {
    for (std::size_t b = 0; b < row_.value.size(); ++b) {
      const double wv = w * row_.value[b];
      mean[row_.column[b]] += wv;
      for (std::size_t a = 0; a <= b; ++a) {
        const std::size_t i = std::min(row_.column[a], row_.column[b]), j = std::max(row_.column[a], row_.column[b]);
        const double twice = a != b && i == j ? 2.0 : 1.0;
        blocks[shape_.index(i, j)] += twice * (row_.value[a] * wv);
      }
    }
  }

  const SparseRows<T, Index>& rows_;
  const MomentsShape& shape_;
  std::vector<double> y_mean_;
  Entries row_;
};

}  // namespace

template <class T, class Index>
double moments(const SparseRows<T, Index>& rows, std::size_t leaf_rows, int n_threads, double* mean, double* low,
               double* products) {
  check_rows(rows);
  const MomentsShape shape(rows.n_features + rows.n_targets);
  const std::size_t n_leaves = (rows.n_rows + leaf_rows - 1) / leaf_rows;
  MomentsStore store(shape);
  FoldTree<MomentsStatistic, std::function<void(MomentsStatistic&, MomentsStatistic&)>> tree(
      n_leaves, [&](MomentsStatistic& left, MomentsStatistic& right) {
        merge_moments(shape, left, right, true, 1);
        store.give_back(std::move(right));
      });
  const double n = static_cast<double>(rows.n_rows), t = static_cast<double>(rows.n_targets);
  const double per_row = static_cast<double>(rows.n_stored) / std::max(n, 1.0) + t;
  if (n * per_row * per_row < kSerialWork || n_threads < 1) n_threads = 1;
  std::vector<std::unique_ptr<SparseLeaf<T, Index>>> loops(static_cast<std::size_t>(n_threads));
  parallel_for(n_leaves, n_threads, [&](std::size_t i, int thread) {
    auto& loop = loops[static_cast<std::size_t>(thread)];
    if (!loop) loop = std::make_unique<SparseLeaf<T, Index>>(rows, shape);
    MomentsStatistic statistic = store.take();
    (*loop)(i * leaf_rows, std::min(rows.n_rows, (i + 1) * leaf_rows), statistic);
    tree.add(i, std::move(statistic));
  });
  write_moments(shape, tree.root(), mean, low, products);
  return tree.root().weight;
}

template double moments(const SparseRows<float, std::int32_t>&, std::size_t, int, double*, double*, double*);
template double moments(const SparseRows<float, std::int64_t>&, std::size_t, int, double*, double*, double*);
template double moments(const SparseRows<double, std::int32_t>&, std::size_t, int, double*, double*, double*);
template double moments(const SparseRows<double, std::int64_t>&, std::size_t, int, double*, double*, double*);

}  // namespace surefit
