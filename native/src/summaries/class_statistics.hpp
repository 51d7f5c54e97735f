// Sums of rows in classes, the statistics of naive Bayes. Leaves of leaf_rows rows are summed by themselves and merged in the
// fixed tree: the bits depend on the rows and leaf_rows, not on n_threads. A class out of range throws
// std::invalid_argument.
#pragma once

#include <cstddef>
#include <cstdint>

#include "surefit/rows.hpp"

namespace surefit::class_statistics {

// What the rows hold that the caller may have to refuse.
struct Seen {
  bool negative = false, not_finite = false;
};

// weights (n_classes): Σ w. sums (n_classes × n_features): Σ w x, or with a threshold Σ w [x > threshold].
template <class T>
Seen class_sums(const LabelledRows<DenseRows<T>>& rows, const double* threshold, std::size_t leaf_rows, int n_threads,
                double* weights, double* sums);
template <class T, class Index>
Seen class_sums(const LabelledRows<CsrRows<T, Index>>& rows, const double* threshold, std::size_t leaf_rows, int n_threads,
                double* weights, double* sums);

// For each class W = Σ w, and for each class and feature the mean m = Σ w x / W (as means + lows, lows what rounding took)
// and the squares Σ w (x - m)².
// `feature_weights` (n_classes × n_features), where it is not null: NaN is left out, and W is that of the feature.
template <class T>
void class_spread(const LabelledRows<DenseRows<T>>& rows, std::size_t leaf_rows, int n_threads, double* weights,
                  double* feature_weights, double* means, double* lows, double* squares);

// Lowest and highest number of every column (at least one row).
template <class T>
Seen column_range(const DenseRows<T>& rows, int n_threads, T* lowest, T* highest);

// counts (n_classes × starts[n_features]): Σ w of the rows of the class with x = v at starts[feature] + v. Every x cut
// to a whole number must lie in 0 … starts[feature + 1] - starts[feature] - 1.
template <class T>
void category_counts(const LabelledRows<DenseRows<T>>& rows, const std::int64_t* starts, std::size_t leaf_rows, int n_threads,
                     double* weights, double* counts);

}  // namespace surefit::class_statistics
