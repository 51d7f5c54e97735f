#include "class_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "class_fold.hpp"
#include "surefit/simd.hpp"

namespace surefit {

const ClassLoopsOf& class_loops_here() {
#ifdef SUREFIT_X86_LEVELS
  if (level() == Level::v4) return v4::class_loops;
  if (level() == Level::v3) return v3::class_loops;
#endif
  return baseline::class_loops;
}
template <>
const ClassLoops<float>& class_loops() { return class_loops_here().f32; }
template <>
const ClassLoops<double>& class_loops() { return class_loops_here().f64; }
template <>
const ClassLoops<std::int32_t>& class_loops() { return class_loops_here().i32; }
template <>
const ClassLoops<std::int64_t>& class_loops() { return class_loops_here().i64; }

namespace {

template <class T>
ClassRows<T> part(const ClassRows<T>& rows, std::size_t lo, std::size_t hi) {
  return {rows.x + lo * rows.n_features, hi - lo, rows.n_features, rows.classes + lo, rows.n_classes,
          rows.w ? rows.w + lo : nullptr};
}

}  // namespace

template <class T>
Seen class_sums(const ClassRows<T>& rows, const double* threshold, std::size_t leaf_rows, int n_threads,
                double* weights, double* sums) {
  const std::size_t C = rows.n_classes, cells = C * rows.n_features;
  n_threads = threads_for(static_cast<double>(rows.n_rows) * static_cast<double>(rows.n_features), n_threads);
  SeenByAll seen;
  Table all(new double[C + cells]);
  fold_sums(rows.n_rows, leaf_rows, n_threads, C + cells, all.get(),
            [&](std::size_t lo, std::size_t hi, double* table) {
              class_weights(rows, lo, hi, table);
              Seen here;
              if (threshold) {
                here.not_finite = class_loops<T>().counts(part(rows, lo, hi), *threshold, table + C);
              } else {
                here.negative = class_loops<T>().sums(part(rows, lo, hi), table + C);
              }
              seen.add(here);
            });
  std::copy_n(all.get(), C, weights);
  std::copy_n(all.get() + C, cells, sums);
  Seen result = seen.all();
  for (std::size_t j = 0; j < cells && !threshold; ++j) result.not_finite |= !std::isfinite(sums[j]);
  return result;
}

namespace {

// mean := mean + step rounded, low := what rounding took (Knuth).
inline void move_mean(double& mean, double& low, double step) {
  const double s = mean + step, v = s - mean;
  low = (mean - (s - v)) + (step - v);
  mean = s;
}

// One leaf: sums give a rough mean, and the deviations from it both the squares and what the mean lacks:
//   m = rough + Σ w δ / W        Σ w (x - m)² = Σ w δ² - (Σ w δ)² / W        δ = x - rough
// A mean is kept as means + lows, lows what rounding takes from an offset.
template <class T>
void spread_leaf(const ClassRows<T>& leaf, const double* weights, double* means, double* lows, double* squares) {
  const std::size_t d = leaf.n_features, cells = leaf.n_classes * d;
  Table shift(new double[cells]());
  class_loops<T>().sums(leaf, means);
  for (std::size_t c = 0; c < leaf.n_classes; ++c) {
    for (std::size_t j = c * d; j < (c + 1) * d; ++j) means[j] = weights[c] > 0 ? means[j] / weights[c] : 0.0;
  }
  class_loops<T>().deviations(leaf, means, shift.get(), squares);
  for (std::size_t c = 0; c < leaf.n_classes; ++c) {
    if (!(weights[c] > 0)) continue;
    for (std::size_t j = c * d; j < (c + 1) * d; ++j) {
      const double step = shift[j] / weights[c];
      move_mean(means[j], lows[j], step);
      squares[j] = std::max(0.0, squares[j] - step * shift[j]);
    }
  }
}

// The same where NaN is left out: every class and feature has a weight of its own.
template <class T>
void spread_leaf_missing(const ClassRows<T>& leaf, double* weights, double* means, double* lows, double* squares) {
  const std::size_t d = leaf.n_features, cells = leaf.n_classes * d;
  Table shift(new double[cells]());
  const auto each = [&](const auto& use) {
    for (std::size_t i = 0; i < leaf.n_rows; ++i) {
      const std::size_t at = static_cast<std::size_t>(leaf.classes[i]) * d;
      for (std::size_t j = 0; j < d; ++j) {
        const double x = static_cast<double>(leaf.x[i * d + j]);
        if (!std::isnan(x)) use(at + j, x, leaf.w ? leaf.w[i] : 1.0);
      }
    }
  };
  each([&](std::size_t at, double x, double w) {
    weights[at] += w;
    means[at] += w * x;
  });
  for (std::size_t j = 0; j < cells; ++j) means[j] = weights[j] > 0 ? means[j] / weights[j] : 0.0;
  each([&](std::size_t at, double x, double w) {
    const double step = x - means[at];
    shift[at] += w * step;
    squares[at] += w * step * step;
  });
  for (std::size_t j = 0; j < cells; ++j) {
    if (!(weights[j] > 0)) continue;
    const double step = shift[j] / weights[j];
    move_mean(means[j], lows[j], step);
    squares[j] = std::max(0.0, squares[j] - step * shift[j]);
  }
}

// Chan's merge of one class and feature, operation by operation that of `combine` in surefit/summaries/class_spread.py.
void merge_cell(double left_weight, double right_weight, double& mean, double right_mean, double& low,
                double right_low, double& square, double right_square) {
  if (!(right_weight > 0)) return;
  if (!(left_weight > 0)) {
    mean = right_mean;
    low = right_low;
    square = right_square;
    return;
  }
  const double share = right_weight / (left_weight + right_weight);
  const double step = (right_mean - mean) + (right_low - low);
  move_mean(mean, low, low + step * share);
  square = (square + right_square) + (step * step) * (left_weight * share);
}

}  // namespace

template <class T>
void class_spread(const ClassRows<T>& rows, std::size_t leaf_rows, int n_threads, double* weights,
                  double* feature_weights, double* means, double* lows, double* squares) {
  const std::size_t C = rows.n_classes, d = rows.n_features, cells = C * d;
  const std::size_t own = feature_weights ? cells : 0;  // a table: weights, weights of features, means, lows, squares
  n_threads = threads_for(static_cast<double>(rows.n_rows) * static_cast<double>(d), n_threads);
  Table all(new double[C + own + 3 * cells]);
  fold(
      rows.n_rows, leaf_rows, n_threads, C + own + 3 * cells, all.get(),
      [&](std::size_t lo, std::size_t hi, double* table) {
        class_weights(rows, lo, hi, table);
        double *m = table + C + own, *l = m + cells, *q = l + cells;
        if (own) {
          spread_leaf_missing(part(rows, lo, hi), table + C, m, l, q);
        } else {
          spread_leaf(part(rows, lo, hi), table, m, l, q);
        }
      },
      [&](double* left, const double* right) {
        double *m = left + C + own, *l = m + cells, *q = l + cells;
        const double *rm = right + C + own, *rl = rm + cells, *rq = rl + cells;
        for (std::size_t c = 0; c < C; ++c) {
          for (std::size_t j = c * d; j < (c + 1) * d; ++j) {
            const std::size_t at = own ? C + j : c;
            merge_cell(left[at], right[at], m[j], rm[j], l[j], rl[j], q[j], rq[j]);
          }
        }
        for (std::size_t j = 0; j < C + own; ++j) left[j] += right[j];
      });
  std::copy_n(all.get(), C, weights);
  if (own) std::copy_n(all.get() + C, own, feature_weights);
  std::copy_n(all.get() + C + own, cells, means);
  std::copy_n(all.get() + C + own + cells, cells, lows);
  std::copy_n(all.get() + C + own + 2 * cells, cells, squares);
}

template <class T>
Seen column_range(const T* x, std::size_t n_rows, std::size_t n_features, int n_threads, T* lowest, T* highest) {
  constexpr std::size_t rows_at_once = 8192;
  if (n_rows == 0) throw std::invalid_argument("no rows have no range");
  std::copy_n(x, n_features, lowest);
  std::copy_n(x, n_features, highest);
  std::mutex mutex;
  Seen seen;
  n_threads = threads_for(static_cast<double>(n_rows) * static_cast<double>(n_features), n_threads);
  parallel_for((n_rows + rows_at_once - 1) / rows_at_once, n_threads, [&](std::size_t i, int) {
    const std::size_t lo = i * rows_at_once, n = std::min(rows_at_once, n_rows - lo);
    const T* first = x + lo * n_features;
    std::vector<T> low(first, first + n_features), high(first, first + n_features);
    const bool broken = class_loops<T>().range(first, n, n_features, low.data(), high.data());
    std::lock_guard lock(mutex);
    seen.not_finite |= broken;
    for (std::size_t j = 0; j < n_features; ++j) {
      lowest[j] = std::min(lowest[j], low[j]);
      highest[j] = std::max(highest[j], high[j]);
    }
  });
  for (std::size_t j = 0; j < n_features; ++j) seen.negative |= lowest[j] < T(0);
  return seen;
}

template <class T>
void category_counts(const ClassRows<T>& rows, const std::int64_t* starts, std::size_t leaf_rows, int n_threads,
                     double* weights, double* counts) {
  const std::size_t C = rows.n_classes, d = rows.n_features, width = static_cast<std::size_t>(starts[d]);
  n_threads = threads_for(static_cast<double>(rows.n_rows) * static_cast<double>(d), n_threads);
  const auto count = [&](std::size_t lo, std::size_t hi, double* table) {
    class_weights(rows, lo, hi, table);
    for (std::size_t i = lo; i < hi; ++i) {
      double* to = table + C + static_cast<std::size_t>(rows.classes[i]) * width;
      const T* x = rows.x + i * d;
      const double w = rows.w ? rows.w[i] : 1.0;
      for (std::size_t j = 0; j < d; ++j) {
        const auto at = starts[j] + static_cast<std::int64_t>(x[j]);
        if (at < starts[j] || at >= starts[j + 1]) throw std::invalid_argument("a category is out of range");
        to[at] += w;
      }
    }
  };
  const std::size_t size = C + C * width;
  Table all(new double[size]());
  if (rows.w) {
    fold_sums(rows.n_rows, leaf_rows, n_threads, size, all.get(), count);
  } else {
    // Whole numbers add up without rounding in any order: one table for each thread.
    std::vector<Table> tables(static_cast<std::size_t>(n_threads));
    parallel_for((rows.n_rows + leaf_rows - 1) / leaf_rows, n_threads, [&](std::size_t i, int thread) {
      Table& table = tables[static_cast<std::size_t>(thread)];
      if (!table) table.reset(new double[size]());
      count(i * leaf_rows, std::min(rows.n_rows, (i + 1) * leaf_rows), table.get());
    });
    for (const Table& table : tables) {
      for (std::size_t j = 0; table && j < size; ++j) all[j] += table[j];
    }
  }
  std::copy_n(all.get(), C, weights);
  std::copy_n(all.get() + C, C * width, counts);
}

#define SUREFIT_DENSE(T)                                                                                             \
  template Seen class_sums(const ClassRows<T>&, const double*, std::size_t, int, double*, double*);                  \
  template void class_spread(const ClassRows<T>&, std::size_t, int, double*, double*, double*, double*, double*);    \
  template Seen column_range(const T*, std::size_t, std::size_t, int, T*, T*);                                       \
  template void category_counts(const ClassRows<T>&, const std::int64_t*, std::size_t, int, double*, double*);
SUREFIT_DENSE(float)
SUREFIT_DENSE(double)
SUREFIT_DENSE(std::int32_t)
SUREFIT_DENSE(std::int64_t)

}  // namespace surefit
