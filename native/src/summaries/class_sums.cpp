#include <algorithm>
#include <cmath>

#include "class_fold.hpp"
#include "class_loops.hpp"

namespace surefit::class_statistics {

template <class T>
Seen class_sums(const LabelledRows<DenseRows<T>>& rows, const double* threshold, std::size_t leaf_rows, int n_threads,
                double* weights, double* sums) {
  const std::size_t C = rows.n_classes, cells = C * rows.x.d;
  n_threads = threads_for(static_cast<double>(rows.x.entries()) * kScatteredNs, n_threads);
  SeenByAll seen;
  Table all(new double[C + cells]);
  fold_sums(rows.x.n, leaf_rows, n_threads, C + cells, all.get(),
            [&](std::size_t lo, std::size_t hi, double* table) {
              class_weights(rows, lo, hi, table);
              Seen here;
              if (threshold) {
                here.not_finite = loops<T>().counts(part(rows, lo, hi), *threshold, table + C);
              } else {
                here.negative = loops<T>().sums(part(rows, lo, hi), table + C);
              }
              seen.add(here);
            });
  std::copy_n(all.get(), C, weights);
  std::copy_n(all.get() + C, cells, sums);
  Seen result = seen.all();
  for (std::size_t j = 0; j < cells && !threshold; ++j) result.not_finite |= !std::isfinite(sums[j]);
  return result;
}

#define SUREFIT_CLASS_SUMS(T)                                                                                  \
  template Seen class_sums(const LabelledRows<DenseRows<T>>&, const double*, std::size_t, int, double*, double*);
SUREFIT_CLASS_SUMS(float)
SUREFIT_CLASS_SUMS(double)
SUREFIT_CLASS_SUMS(std::int32_t)
SUREFIT_CLASS_SUMS(std::int64_t)

}  // namespace surefit::class_statistics
