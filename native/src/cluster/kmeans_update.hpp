// The sums of a leaf for the update.
//
// With m = c·scale (own center) and t = x·scale − m, in double,
//     weight[c] += w,   sums[c] += w t,   inertia += w t².
// The new center is c + sums/(weight·scale): the deviation form loses nothing to large offsets.
// CSR rows have few entries, so there the sums are of w x·scale itself, and
//     ‖x·scale − m‖² = ‖m‖² + Σ over entries v (v − 2 m_j).
// Included by kmeans_leaf.cpp only.
#pragma once

#include "cluster/kmeans_score.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

inline void touch(Node& node, std::size_t span) {
  if (!node.is_touched[span]) {
    node.is_touched[span] = 1;
    node.touched[node.n_touched++] = span;
  }
}

inline double sum_lanes(Vec<double> v) {
  double lanes[kLanes<double>];
  store(lanes, v);
  for (int half = kLanes<double> / 2; half > 0; half /= 2) {
    for (int lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

template <class T>
inline T upper_bound(double sq_dist) {
  return static_cast<T>(std::sqrt(sq_dist)) * (1 + 8 * kUlp<T>) + std::numeric_limits<T>::min();
}

// Rows of the leaf (offsets from lo) cluster by cluster, in order: list[start[c] … start[c+1]).
template <class T>
void group_rows(const LeafTask<T>& task, std::size_t k, Work<T>& work) {
  std::int32_t* start = work.start;
  const std::int32_t* label = task.label + task.lo;
  const std::size_t count = task.hi - task.lo;
  for (std::size_t c = 0; c <= k; ++c) start[c] = 0;
  for (std::size_t i = 0; i < count; ++i) ++start[label[i]];
  std::int32_t sum = 0;
  for (std::size_t c = 0; c <= k; ++c) {
    const std::int32_t here = start[c];
    start[c] = sum;
    sum += here;
  }
  for (std::size_t i = 0; i < count; ++i) work.list[start[label[i]]++] = static_cast<std::int32_t>(i);
  for (std::size_t c = k; c > 0; --c) start[c] = start[c - 1];
  start[0] = 0;
}

// Features j … of the rows of one cluster, kVecs vectors wide: the sums stay in registers.
// kEach: the squared distance of every row is wanted, not only the sum.
template <class T, int kVecs, bool kEach>
inline Vec<double> add_cluster(const PaddedRows<T>& rows, const LeafTask<T>& task, const std::int32_t* list,
                               std::size_t count, const T* own, std::size_t j, double scale, Vec<std::int64_t> in_row,
                               double* sums, double* sq_dist) {
  constexpr int W = kLanes<double>;
  Vec<double> m[kVecs], sum[kVecs] = {}, inertia[kVecs] = {};
  for (int a = 0; a < kVecs; ++a) m[a] = load_double(own + j + a * W);
  for (std::size_t q = 0; q < count; ++q) {
    const std::size_t i = task.lo + static_cast<std::size_t>(list[q]);
    const T* x = rows.padded(i) + j;
    const double w = task.w ? task.w[i] : 1.0;
    Vec<double> sq{};
#pragma GCC unroll 4
    for (int a = 0; a < kVecs; ++a) {
      Vec<double> t = load_double(x + a * W) * scale - m[a];
      if (a == kVecs - 1) t = in_row ? t : Vec<double>{};
      const Vec<double> wt = w * t;
      sum[a] += wt;
      inertia[a] += wt * t;
      if constexpr (kEach) sq += t * t;
    }
    if constexpr (kEach) sq_dist[list[q]] += sum_lanes(sq);
  }
  Vec<double> total{};
  for (int a = 0; a < kVecs; ++a) {
    store(sums + j + a * W, load(sums + j + a * W) + sum[a]);
    total += inertia[a];
  }
  return total;
}

template <bool kEach, class T>
void update_rows(const PaddedRows<T>& rows, const Centers<T>& c, const LeafTask<T>& task, Work<T>& work, Node& node) {
  constexpr std::size_t W = kLanes<double>;
  group_rows(task, c.k, work);
  // the lanes of the last vector that belong to the row
  Vec<std::int64_t> all, rest;
  for (std::size_t lane = 0; lane < W; ++lane) {
    all[lane] = -1;
    rest[lane] = lane < (rows.d - 1) % W + 1 ? -1 : 0;
  }
  const std::size_t n_vecs = (rows.d + W - 1) / W;
  if constexpr (kEach) {
    for (std::size_t i = 0; i < task.hi - task.lo; ++i) work.sq_dist[i] = 0;
  }
  Vec<double> inertia{};
  for (std::size_t own = 0; own < c.k; ++own) {
    const std::int32_t* list = work.list + work.start[own];
    const std::size_t count = static_cast<std::size_t>(work.start[own + 1] - work.start[own]);
    if (count == 0) continue;
    touch(node, own);
    double weight = task.w ? 0.0 : static_cast<double>(count);
    for (std::size_t q = 0; q < count && task.w; ++q) weight += task.w[task.lo + static_cast<std::size_t>(list[q])];
    node.weight[own] += weight;
    double* sums = node.sums + own * c.stride;
    const T* m = c.own + own * c.stride;
    for (std::size_t v = 0; v < n_vecs; v += 4) {
      const auto add = [&]<int kVecs>() {
        inertia += add_cluster<T, kVecs, kEach>(rows, task, list, count, m, v * W, c.scale,
                                                v + kVecs == n_vecs ? rest : all, sums, work.sq_dist);
      };
      switch (n_vecs - v) {
        case 1: add.template operator()<1>(); break;
        case 2: add.template operator()<2>(); break;
        case 3: add.template operator()<3>(); break;
        default: add.template operator()<4>(); break;
      }
    }
  }
  node.inertia = sum_lanes(inertia);
  if constexpr (kEach) {
    for (std::size_t i = task.lo; i < task.hi; ++i) {
      const double sq_dist = work.sq_dist[i - task.lo];
      if (task.bounds) task.bounds->upper[i] = upper_bound<T>(sq_dist);
      if (task.sq_dist) task.sq_dist[i] = sq_dist;
    }
  }
}

template <bool kEach, class T, class I>
void update_rows(const CsrRows<T, I>& rows, const Centers<T>& c, const LeafTask<T>& task, Work<T>&, Node& node) {
  double inertia = 0;
  for (std::size_t i = task.lo; i < task.hi; ++i) {
    const std::size_t own = static_cast<std::size_t>(task.label[i]);
    const T* m = c.own + own * c.stride;
    const double weight = task.w ? task.w[i] : 1.0;
    node.weight[own] += weight;
    double sq_dist = c.own_sq_norm[own];
    for (std::size_t e = std::size_t(rows.indptr[i]); e < std::size_t(rows.indptr[i + 1]); ++e) {
      const std::size_t j = std::size_t(rows.indices[e]), span = own * c.stride + j;
      const double v = double(rows.data[e]) * c.scale;
      touch(node, span);
      node.sums[span] += weight * v;
      sq_dist += v * (v - 2 * double(m[j]));
    }
    if (sq_dist < 0) sq_dist = 0;
    inertia += weight * sq_dist;
    if constexpr (kEach) {
      // The sum cancels: what rounding may have taken is of the order of ulp · (‖x‖ + ‖m‖)².
      if (task.bounds) {
        const double size = std::sqrt(sq_dist) + 2 * std::sqrt(c.own_sq_norm[own]);
        task.bounds->upper[i] = upper_bound<T>(sq_dist + double(rows.d + 8) * kUlp<double> * size * size);
      }
      if (task.sq_dist) task.sq_dist[i] = sq_dist;
    }
  }
  node.inertia = inertia;
}

}  // namespace
}  // namespace surefit::SUREFIT_LEVEL
