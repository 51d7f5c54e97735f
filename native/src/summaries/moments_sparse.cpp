// Moments of compressed sparse rows.
//
// Within a leaf the products of the features are Σ w x xᵀ over pairs of stored entries, less W m mᵀ; targets are dense
// and enter as deviations from their own leaf mean. Leaves are merged as for dense rows.
#include <algorithm>
#include <vector>

#include "moments.hpp"
#include "moments_statistic.hpp"
#include "surefit/fold.hpp"

namespace surefit::moments {
namespace {

// One row as stored: its entries, then the targets; with the two halves of their place among the blocks.
struct Entries {
  std::vector<std::size_t> column, as_row, as_column;
  std::vector<double> value;
  bool increasing;
};

template <class T, class Index>
class SparseLeaf {
 public:
  SparseLeaf(const TargetRows<CsrRows<T, Index>>& rows, const Shape& shape)
      : rows_(rows), shape_(shape), y_mean_(rows.n_targets) {}

  void operator()(std::size_t lo, std::size_t hi, Statistic& leaf) {
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
    for (std::size_t j = 0; j < rows_.n_targets; ++j) mean[rows_.x.d + j] += y_mean_[j];
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
    rows_.x.row(k).each([&](double x, std::size_t j, std::size_t) { append(j, x); });
    for (std::size_t j = 0; j < rows_.n_targets; ++j) {
      append(rows_.x.d + j, rows_.y[k * rows_.n_targets + j] - y_mean_[j]);
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

  const TargetRows<CsrRows<T, Index>>& rows_;
  const Shape& shape_;
  std::vector<double> y_mean_;
  Entries row_;
};

}  // namespace

template <class T, class Index>
double fold(const TargetRows<CsrRows<T, Index>>& rows, std::size_t leaf_rows, int n_threads, double* mean, double* low,
            double* products) {
  const Shape shape(rows.x.d + rows.n_targets);
  const double n = static_cast<double>(rows.x.n), t = static_cast<double>(rows.n_targets);
  const double per_row = static_cast<double>(rows.x.entries()) / std::max(n, 1.0) + t;
  n_threads = threads_for(n * per_row * per_row * kScalarNs, n_threads);
  Store store(shape);
  PerThread<SparseLeaf<T, Index>> leaves(n_threads);
  Statistic all = fold_leaves(
      rows.x.n, leaf_rows, n_threads,
      [&](std::size_t lo, std::size_t hi, int thread) {
        Statistic leaf = store.take();
        leaves.of(thread, rows, shape)(lo, hi, leaf);
        return leaf;
      },
      [&](Statistic& left, Statistic& right) {
        merge(shape, left, right, true, 1);
        store.give_back(std::move(right));
      });
  write(shape, all, mean, low, products);
  return all.weight;
}

#define SUREFIT_MOMENTS(R) template double fold(const TargetRows<R>&, std::size_t, int, double*, double*, double*);
SUREFIT_EACH_CSR(SUREFIT_MOMENTS)

}  // namespace surefit::moments
