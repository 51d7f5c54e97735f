#include <algorithm>
#include <cmath>

#include "class_fold.hpp"
#include "class_loops.hpp"
#include "surefit/compensated.hpp"

namespace surefit::class_statistics {
namespace {

// What rounding took below zero is zero; NaN stays NaN, so that sums beyond floating point are seen.
double at_least_zero(double x) { return x < 0.0 ? 0.0 : x; }

// One leaf: sums give a rough mean, and the deviations from it both the squares and what the mean lacks:
//   m = rough + Σ w δ / W        Σ w (x - m)² = Σ w δ² - (Σ w δ)² / W        δ = x - rough
// A mean is kept as means + lows, lows what rounding takes from an offset.
template <class T>
void spread_leaf(const LabelledRows<DenseRows<T>>& leaf, const double* weights, double* means, double* lows, double* squares) {
  const std::size_t d = leaf.x.d, cells = leaf.n_classes * d;
  Table shift(new double[cells]());
  loops<T>().sums(leaf, means);
  for (std::size_t c = 0; c < leaf.n_classes; ++c) {
    for (std::size_t j = c * d; j < (c + 1) * d; ++j) means[j] = weights[c] > 0 ? means[j] / weights[c] : 0.0;
  }
  loops<T>().deviations(leaf, means, shift.get(), squares);
  for (std::size_t c = 0; c < leaf.n_classes; ++c) {
    if (!(weights[c] > 0)) continue;
    for (std::size_t j = c * d; j < (c + 1) * d; ++j) {
      const double step = shift[j] / weights[c];
      lows[j] = two_sum(means[j], step);
      squares[j] = at_least_zero(squares[j] - step * shift[j]);
    }
  }
}

// The same where NaN is left out: every class and feature has a weight of its own.
template <class T>
void spread_leaf_missing(const LabelledRows<DenseRows<T>>& leaf, double* weights, double* means, double* lows, double* squares) {
  const std::size_t d = leaf.x.d, cells = leaf.n_classes * d;
  Table shift(new double[cells]());
  const auto each = [&](const auto& use) {
    for (std::size_t i = 0; i < leaf.x.n; ++i) {
      const std::size_t at = static_cast<std::size_t>(leaf.classes[i]) * d;
      for (std::size_t j = 0; j < d; ++j) {
        const double x = static_cast<double>(leaf.x.x[i * d + j]);
        if (!std::isnan(x)) use(at + j, x, leaf.weight(i));
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
    lows[j] = two_sum(means[j], step);
    squares[j] = at_least_zero(squares[j] - step * shift[j]);
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
  const double step = merge_mean(mean, low, right_mean, right_low, share);
  square = (square + right_square) + (step * step) * (left_weight * share);
}

}  // namespace

template <class T>
void class_spread(const LabelledRows<DenseRows<T>>& rows, std::size_t leaf_rows, int n_threads, double* weights,
                  double* feature_weights, double* means, double* lows, double* squares) {
  const std::size_t C = rows.n_classes, d = rows.x.d, cells = C * d;
  const std::size_t own = feature_weights ? cells : 0;  // a table: weights, weights of features, means, lows, squares
  n_threads = threads_for(static_cast<double>(rows.x.entries()) * kScatteredNs, n_threads);
  Table all(new double[C + own + 3 * cells]);
  fold_tables(
      rows.x.n, leaf_rows, n_threads, C + own + 3 * cells, all.get(),
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

#define SUREFIT_CLASS_SPREAD(T)                                                                                      \
  template void class_spread(const LabelledRows<DenseRows<T>>&, std::size_t, int, double*, double*, double*, double*, \
                             double*);
SUREFIT_CLASS_SPREAD(float)
SUREFIT_CLASS_SPREAD(double)
SUREFIT_CLASS_SPREAD(std::int32_t)
SUREFIT_CLASS_SPREAD(std::int64_t)

}  // namespace surefit::class_statistics
