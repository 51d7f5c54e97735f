#include "perceptron.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "surefit/fold.hpp"

namespace surefit::perceptron {
namespace {

constexpr double kTurnWork = 1e7;      // multiplications between two looks for signals
constexpr std::size_t kChunkBytes = std::size_t{1} << 17;  // rows that stay in the cache while every class sees them

// Columns of a row that are not zero, on average over the rows visited.
template <class X>
double mean_width(const X& rows, const Order& order) {
  double entries = 0;
  for (std::size_t i = 0; i < order.n; ++i) {
    entries += static_cast<double>(rows.row(static_cast<std::size_t>(order.order[i])).size());
  }
  return entries / static_cast<double>(order.n);
}

Plane opened(const Models& models, std::size_t i, std::size_t d, const Rule& rule) {
  const auto k = static_cast<std::size_t>(models.planes[i]);
  double* w = models.coef + k * d;
  Plane plane{};
  plane.v = w;
  plane.paid = models.paid ? models.paid + k * d : nullptr;
  plane.due = models.due ? models.due[k] : 0;
  plane.scale = 1;
  plane.b = models.intercept[k];
  plane.code = models.codes[i];
  plane.positive = models.positive[i];
  plane.negative = models.negative[i];
  if (rule.l2 > 0 || rule.l1 > 0) {
    for (std::size_t j = 0; j < d; ++j) {
      plane.sq_norm += w[j] * w[j];
      plane.l1_norm += std::fabs(w[j]);
    }
  }
  return plane;
}

// Every column pays what is due, and w = v again.
void closed(const Models& models, std::size_t i, std::size_t d, Plane& plane) {
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

template <Rows X>
void window(const X& rows, const Order& order, const Rule& rule, const Models& models, int n_threads) {
  const std::size_t d = rows.d;
  std::vector<Plane> planes;
  for (std::size_t i = 0; i < models.n_planes; ++i) planes.push_back(opened(models, i, d, rule));
  if (order.n > 0 && models.n_planes > 0) {
    const Loops<X>& loops = SUREFIT_TABLE(perceptron_loops);
    const double width = mean_width(rows, order) + 8;
    const auto chunk = static_cast<std::size_t>(std::max(16.0, static_cast<double>(kChunkBytes) / (8 * width)));
    const double work = width * static_cast<double>(models.n_planes);
    n_threads = threads_for(work * static_cast<double>(order.n) * kVectorNs, n_threads);
    const std::size_t groups = std::min(static_cast<std::size_t>(n_threads), models.n_planes);
    const std::size_t turn = std::max<std::size_t>(chunk, static_cast<std::size_t>(kTurnWork / work));

    // Turns follow each other on this thread, which looks for signals between them; within a turn each thread has some
    // classes and takes them through the rows chunk by chunk. A class sees all rows in order, whatever the groups.
    parallel_for(leaves_of(order.n, turn), 1, [&](std::size_t t, int) {
      const std::size_t first = t * turn, last = std::min(order.n, first + turn);
      parallel_for(groups, n_threads, [&](std::size_t g, int) {
        for (std::size_t lo = first; lo < last; lo += chunk) {
          const Order part{order.y, order.w ? order.w + lo : nullptr, order.order + lo,
                                     std::min(last, lo + chunk) - lo};
          for (std::size_t i = g; i < planes.size(); i += groups) loops.visit(rows, part, rule, planes[i]);
        }
      });
    });
  }
  for (std::size_t i = 0; i < models.n_planes; ++i) closed(models, i, d, planes[i]);
}

#define SUREFIT_WINDOW(R) template void window(const R&, const Order&, const Rule&, const Models&, int);
SUREFIT_EACH_ROWS(SUREFIT_WINDOW)

}  // namespace surefit::perceptron
