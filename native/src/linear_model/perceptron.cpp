#include "perceptron.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "surefit/parallel.hpp"
#include "surefit/simd.hpp"

namespace surefit {
namespace {

constexpr double kSerialWork = 2e6;    // multiplications below which starting threads costs more than it saves
constexpr double kTurnWork = 1e7;      // multiplications between two looks for signals
constexpr std::size_t kChunkBytes = std::size_t{1} << 17;  // rows that stay in the cache while every class sees them

const PerceptronLoops& loops() {
#ifdef SUREFIT_X86_LEVELS
  if (level() == Level::v4) return v4::perceptron_loops;
  if (level() == Level::v3) return v3::perceptron_loops;
#endif
  return baseline::perceptron_loops;
}

template <class Rows>
PerceptronVisit<Rows> visit_of() {
  const PerceptronLoops& l = loops();
  if constexpr (std::is_same_v<Rows, VisitedDense<float>>) return l.dense_f32;
  if constexpr (std::is_same_v<Rows, VisitedDense<double>>) return l.dense_f64;
  if constexpr (std::is_same_v<Rows, VisitedSparse<float, std::int32_t>>) return l.sparse_f32_i32;
  if constexpr (std::is_same_v<Rows, VisitedSparse<float, std::int64_t>>) return l.sparse_f32_i64;
  if constexpr (std::is_same_v<Rows, VisitedSparse<double, std::int32_t>>) return l.sparse_f64_i32;
  if constexpr (std::is_same_v<Rows, VisitedSparse<double, std::int64_t>>) return l.sparse_f64_i64;
}

// Columns of a row that are not zero, on average over the rows visited.
template <class T>
double mean_width(const VisitedDense<T>& rows, const PerceptronOrder&) {
  return static_cast<double>(rows.d);
}
template <class T, class Index>
double mean_width(const VisitedSparse<T, Index>& rows, const PerceptronOrder& order) {
  double entries = 0;
  for (std::size_t i = 0; i < order.n; ++i) {
    entries += static_cast<double>(rows.indptr[order.order[i] + 1] - rows.indptr[order.order[i]]);
  }
  return entries / static_cast<double>(order.n);
}

PerceptronPlane opened(const Perceptrons& models, std::size_t i, std::size_t d, const PerceptronRule& rule) {
  const auto k = static_cast<std::size_t>(models.planes[i]);
  double* w = models.coef + k * d;
  PerceptronPlane plane{w,   models.paid ? models.paid + k * d : nullptr,
                        models.due ? models.due[k] : 0,
                        1.0, models.intercept[k],
                        0,   0,
                        0,   models.codes[i],
                        models.positive[i],
                        models.negative[i]};
  if (rule.l2 > 0 || rule.l1 > 0) {
    for (std::size_t j = 0; j < d; ++j) {
      plane.sq_norm += w[j] * w[j];
      plane.l1_norm += std::fabs(w[j]);
    }
  }
  return plane;
}

// Every column pays what is due, and w = v again.
void closed(const Perceptrons& models, std::size_t i, std::size_t d, PerceptronPlane& plane) {
  const auto k = static_cast<std::size_t>(models.planes[i]);
  if (plane.paid) {
    for (std::size_t j = 0; j < d; ++j) {
      const double before = plane.v[j];
      if (before > 0) plane.v[j] = std::max(0.0, before - (plane.due + plane.paid[j]));
      if (before < 0) plane.v[j] = std::min(0.0, before + (plane.due - plane.paid[j]));
      plane.paid[j] = (plane.paid[j] + (plane.v[j] - before)) * plane.scale;
    }
    models.due[k] = plane.due * plane.scale;
  }
  double zero = 0 * plane.b;  // NaN if something is not finite
  for (std::size_t j = 0; j < d; ++j) {
    plane.v[j] *= plane.scale;
    zero += 0 * plane.v[j];
  }
  models.intercept[k] = plane.b;
  models.objective[i] = plane.objective + zero;
}

}  // namespace

template <class Rows>
void perceptron_window(const Rows& rows, const PerceptronOrder& order, const PerceptronRule& rule,
                       const Perceptrons& models, int n_threads) {
  const std::size_t d = rows.d;
  std::vector<PerceptronPlane> planes;
  for (std::size_t i = 0; i < models.n_planes; ++i) planes.push_back(opened(models, i, d, rule));
  if (order.n > 0) {
    const auto visit = visit_of<Rows>();
    const double width = mean_width(rows, order) + 8;
    const auto chunk = static_cast<std::size_t>(std::max(16.0, static_cast<double>(kChunkBytes) / (8 * width)));
    const double work = width * static_cast<double>(models.n_planes);
    if (work * static_cast<double>(order.n) < kSerialWork || n_threads < 1) n_threads = 1;
    const std::size_t groups = std::min(static_cast<std::size_t>(n_threads), models.n_planes);
    const std::size_t turn = std::max<std::size_t>(chunk, static_cast<std::size_t>(kTurnWork / work));

    // Turns follow each other on this thread, which looks for signals between them; within a turn each thread has some
    // classes and takes them through the rows chunk by chunk. A class sees all rows in order, whatever the groups.
    parallel_for((order.n + turn - 1) / turn, 1, [&](std::size_t t, int) {
      const std::size_t first = t * turn, last = std::min(order.n, first + turn);
      parallel_for(groups, n_threads, [&](std::size_t g, int) {
        for (std::size_t lo = first; lo < last; lo += chunk) {
          const PerceptronOrder part{order.y, order.w ? order.w + lo : nullptr, order.order + lo,
                                     std::min(last, lo + chunk) - lo};
          for (std::size_t i = g; i < planes.size(); i += groups) visit(rows, part, rule, planes[i]);
        }
      });
    });
  }
  for (std::size_t i = 0; i < models.n_planes; ++i) closed(models, i, d, planes[i]);
}

#define SUREFIT_PERCEPTRON(R)                                                                                  \
  template void perceptron_window<R>(const R&, const PerceptronOrder&, const PerceptronRule&, const Perceptrons&, int)
using F32I32 = VisitedSparse<float, std::int32_t>;
using F32I64 = VisitedSparse<float, std::int64_t>;
using F64I32 = VisitedSparse<double, std::int32_t>;
using F64I64 = VisitedSparse<double, std::int64_t>;
SUREFIT_PERCEPTRON(VisitedDense<float>);
SUREFIT_PERCEPTRON(VisitedDense<double>);
SUREFIT_PERCEPTRON(F32I32);
SUREFIT_PERCEPTRON(F32I64);
SUREFIT_PERCEPTRON(F64I32);
SUREFIT_PERCEPTRON(F64I64);

}  // namespace surefit
