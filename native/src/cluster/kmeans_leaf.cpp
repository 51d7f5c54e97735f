// One Lloyd pass over one leaf: nearest centres, then the update sums.
//
// The nearest centre of x maximises  x'·c' − ½‖c'‖²,  x' = (x − shift)·scale: the ‖x'‖² common to all centres is left
// out, and the shift (about the mean) keeps the products small where the data sit far from the origin.
//
// Update: with m = c·scale (own centre) and t = x·scale − m, in double,
//     weight[c] += w,   sums[c] += w t,   inertia += w t².
// The new centre is c + sums/(weight·scale): the deviation form loses nothing to large offsets.
// CSR rows have few entries, so there the sums are of w x·scale itself, and
//     ‖x·scale − m‖² = ‖m‖² + Σ over entries v (v − 2 m_j).
//
// A row may keep its label unseen when  lower² − upper² > slack · (upper + 2 max‖c'‖)², slack = 8 (d+8) ulp: then even
// rounding of the scores cannot change the outcome, so labels are the same with bounds and without.
#include <cmath>

#include "cluster/kmeans_tile.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using kmeans::Bounds;
using kmeans::Centres;
using kmeans::Csr;
using kmeans::Dense;
using kmeans::LeafLoops;
using kmeans::LeafTask;
using kmeans::Node;
using kmeans::Work;

template <class T>
constexpr T kUlp = std::numeric_limits<T>::epsilon();

template <class T>
inline const T* row_of(const Dense<T>& rows, std::size_t i) {
  return i < rows.tail_from ? rows.x + i * rows.d : rows.tail + (i - rows.tail_from) * rows.stride;
}

inline void touch(Node& node, std::size_t span) {
  if (!node.is_touched[span]) {
    node.is_touched[span] = 1;
    node.touched[node.n_touched++] = span;
  }
}

template <class T>
void pack_common(const double* centres, Centres<T>& out) {
  const std::size_t k = out.k, d = out.d;
  double largest = 0;
  for (std::size_t c = 0; c < k; ++c) {
    double shifted = 0, own = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const T m = static_cast<T>(centres[c * d + j] * out.scale);
      out.own[c * out.stride + j] = m;
      const T p = static_cast<T>(double(m) - double(out.shift[j]));
      shifted += double(p) * p;
      own += double(m) * m;
    }
    out.packed.offset[c] = static_cast<T>(-0.5 * shifted);
    out.own_sq_norm[c] = own;
    largest = shifted > largest ? shifted : largest;
  }
  for (std::size_t c = k; c < out.packed.k_pad; ++c) out.packed.offset[c] = -std::numeric_limits<T>::infinity();
  out.max_norm = static_cast<T>(std::sqrt(largest)) * (1 + 4 * kUlp<T>);
  out.packed.slack = 8 * static_cast<T>(d + 8) * kUlp<T>;
}

template <class T>
inline T shifted_value(const Centres<T>& c, std::size_t centre, std::size_t j) {
  if (centre >= c.k) return 0;
  return static_cast<T>(double(c.own[centre * c.stride + j]) - double(c.shift[j]));
}

template <class T>
void pack_dense(const double* centres, Centres<T>& out) {
  pack_common(centres, out);
  T* p = out.packed.values;
  for (std::size_t block = 0; block < out.packed.k_pad; block += kCentreBlock) {
    for (std::size_t j = 0; j < out.d; ++j) {
      for (int b = 0; b < kCentreBlock; ++b) *p++ = shifted_value(out, block + b, j);
    }
  }
  // In single precision squares must stay well inside the range of float.
  if (out.single.values && !(out.max_norm > T(0x1p-40) && out.max_norm < T(0x1p40))) out.single.values = nullptr;
  if (!out.single.values) return;
  out.single.slack = 8 * static_cast<float>(out.d + 8) * kUlp<float>;
  for (std::size_t e = 0; e < out.packed.k_pad * out.d; ++e) {
    out.single.values[e] = static_cast<float>(out.packed.values[e]);
  }
  for (std::size_t c = 0; c < out.packed.k_pad; ++c) {
    out.single.offset[c] = static_cast<float>(out.packed.offset[c]);
  }
}

template <class T>
void pack_csr(const double* centres, Centres<T>& out) {
  pack_common(centres, out);
  for (std::size_t j = 0; j < out.d; ++j) {
    for (std::size_t c = 0; c < out.packed.k_pad; ++c) {
      out.packed.values[j * out.packed.k_pad + c] = shifted_value(out, c, j);
    }
  }
}

// lower bound of the distance to every centre but the best, from the second best score
template <class T>
inline T lower_bound(T sq_norm, T second, T max_norm, T slack) {
  const T reach = std::sqrt(sq_norm) + max_norm;
  const T sq = sq_norm - 2 * second - slack * reach * reach;
  // Infinite where there is one centre only; not a number where squares overflow: then nothing is known.
  return sq > 0 ? std::sqrt(sq) * (1 - 8 * kUlp<T>) : T(0);
}

// Rows `first` … of the list (offsets from lo), or of the leaf without a list; the last one fills up the tile.
template <class T, int R>
inline void find_rows(const Dense<T>& rows, const LeafTask<T>& task, const std::int32_t* list, std::size_t first,
                      std::size_t here, std::size_t (&id)[R], const T* (&pointers)[R]) {
  if (!list && task.lo + first + R <= (rows.tail_from < task.hi ? rows.tail_from : task.hi)) {
    const T* x = rows.x + (task.lo + first) * rows.d;
    for (int r = 0; r < R; ++r, x += rows.d) pointers[r] = x;
    for (int r = 0; r < R; ++r) id[r] = task.lo + first + std::size_t(r);
    return;
  }
  for (std::size_t r = 0; r < std::size_t(R); ++r) {
    const std::size_t q = first + (r < here ? r : here - 1);
    id[r] = task.lo + (list ? std::size_t(list[q]) : q);
    pointers[r] = row_of(rows, id[r]);
  }
}

template <class T, int R>
inline void set_labels(const LeafTask<T>& task, const std::int32_t* list, std::size_t first, std::size_t here,
                       const std::size_t (&id)[R], const Index<T> (&index)[R]) {
  if (list) {
    for (std::size_t r = 0; r < here; ++r) task.label[id[r]] = static_cast<std::int32_t>(index[r]);
  } else {
    std::int32_t* label = task.label + task.lo + first;
    for (std::size_t r = 0; r < here; ++r) label[r] = static_cast<std::int32_t>(index[r]);
  }
}

template <class T>
inline void tile_norms(const T* tile, std::size_t d, T (&norm)[kRowTile<T>]) {
  Vec<T> sq_norm[kRowVecs] = {};
  for (std::size_t j = 0; j < d; ++j) {
    for (int v = 0; v < kRowVecs; ++v) {
      const Vec<T> x = load(tile + j * kRowTile<T> + v * kLanes<T>);
      sq_norm[v] += x * x;
    }
  }
  std::memcpy(norm, sq_norm, sizeof norm);
}

template <class T, bool kSecond>
void score_exactly(const Dense<T>& rows, const Centres<T>& c, const LeafTask<T>& task, Work<T>& work,
                   const std::int32_t* list, std::size_t count) {
  constexpr int R = kRowTile<T>;
  for (std::size_t first = 0; first < count; first += R) {
    const std::size_t here = count - first < std::size_t(R) ? count - first : std::size_t(R);
    std::size_t id[R];
    const T* pointers[R];
    find_rows(rows, task, list, first, here, id, pointers);
    pack_rows<T, T>(pointers, rows.d, c.shift, c.scale, work.tile);
    Scores<T> scores;
    score_tile<T, kSecond>(work.tile, rows.d, c.packed, scores);
    Index<T> index[R];
    std::memcpy(index, scores.index, sizeof index);
    set_labels(task, list, first, here, id, index);
    if constexpr (kSecond) {
      T norm[R], second[R];
      tile_norms(work.tile, rows.d, norm);
      std::memcpy(second, scores.second, sizeof second);
      for (std::size_t r = 0; r < here; ++r) {
        task.bounds->lower[id[r]] = lower_bound(norm[r], second[r], c.max_norm, c.packed.slack);
      }
    }
  }
}

// A first look in single precision. Where best and second best differ by more than rounding (of both precisions) can
// make, the label is the one double precision gives; the other rows, few as a rule, are scored again.
template <bool kSecond>
void score_twice(const Dense<double>& rows, const Centres<double>& c, const LeafTask<double>& task, Work<double>& work,
                 const std::int32_t* list, std::size_t count) {
  constexpr int R = kRowTile<float>;
  const float max_norm = static_cast<float>(c.max_norm) * (1 + 4 * kUlp<float>);
  std::size_t n_unsure = 0;
  for (std::size_t first = 0; first < count; first += R) {
    const std::size_t here = count - first < std::size_t(R) ? count - first : std::size_t(R);
    std::size_t id[R];
    const double* pointers[R];
    find_rows(rows, task, list, first, here, id, pointers);
    pack_rows<double, float>(pointers, rows.d, c.shift, c.scale, work.single_tile);
    Scores<float> scores;
    score_tile<float, true>(work.single_tile, rows.d, c.single, scores);
    float norm[R], best[R], second[R];
    std::int32_t index[R];
    tile_norms(work.single_tile, rows.d, norm);
    std::memcpy(best, scores.best, sizeof best);
    std::memcpy(second, scores.second, sizeof second);
    std::memcpy(index, scores.index, sizeof index);
    for (std::size_t r = 0; r < here; ++r) {
      const float reach = std::sqrt(norm[r]) + max_norm;
      const bool sure = best[r] - second[r] > 0.5f * c.single.slack * reach * reach;  // false for inf and NaN
      task.label[id[r]] = index[r];
      if constexpr (kSecond) {
        task.bounds->lower[id[r]] = lower_bound(norm[r], second[r], max_norm, c.single.slack);
      }
      work.unsure[n_unsure] = static_cast<std::int32_t>(id[r] - task.lo);
      n_unsure += !sure;
    }
  }
  score_exactly<double, kSecond>(rows, c, task, work, work.unsure, n_unsure);
}

// Scores the rows list[0 … count-1] (offsets from lo), or the first `count` rows of the leaf without a list.
template <class T, bool kSecond>
void score_rows(const Dense<T>& rows, const Centres<T>& c, const LeafTask<T>& task, Work<T>& work,
                const std::int32_t* list, std::size_t count) {
  if constexpr (sizeof(T) == sizeof(double)) {
    if (c.single.values) return score_twice<kSecond>(rows, c, task, work, list, count);
  }
  score_exactly<T, kSecond>(rows, c, task, work, list, count);
}

template <class T, bool kSecond, class I>
void score_rows(const Csr<T, I>& rows, const Centres<T>& c, const LeafTask<T>& task, Work<T>&,
                const std::int32_t* list, std::size_t count) {
  constexpr int W = kLanes<T>, kChunk = 8;
  for (std::size_t q = 0; q < count; ++q) {
    const std::size_t i = task.lo + (list ? std::size_t(list[q]) : q);
    const std::size_t begin = std::size_t(rows.indptr[i]), end = std::size_t(rows.indptr[i + 1]);
    T best = -std::numeric_limits<T>::infinity(), second = best;
    std::int32_t label = 0;
    for (std::size_t block = 0; block < c.packed.k_pad; block += W * kChunk) {
      const std::size_t left = (c.packed.k_pad - block) / W;
      const int n_vecs = left < kChunk ? static_cast<int>(left) : kChunk;
      Vec<T> acc[kChunk];
      for (int v = 0; v < n_vecs; ++v) acc[v] = load(c.packed.offset + block + v * W);
      for (std::size_t e = begin; e < end; ++e) {
        const Vec<T> value = splat(rows.data[e] * c.scale);
        const T* column = c.packed.values + std::size_t(rows.indices[e]) * c.packed.k_pad + block;
        for (int v = 0; v < n_vecs; ++v) acc[v] += value * load(column + v * W);
      }
      for (int v = 0; v < n_vecs; ++v) {
        T s[W];
        store(s, acc[v]);
        for (int lane = 0; lane < W; ++lane) {
          const bool wins = s[lane] > best;
          if constexpr (kSecond) {
            const T loser = wins ? best : s[lane];
            second = loser > second ? loser : second;
          }
          label = wins ? static_cast<std::int32_t>(block + v * W + lane) : label;
          best = wins ? s[lane] : best;
        }
      }
    }
    task.label[i] = label;
    if constexpr (kSecond) {
      T norm = 0;
      for (std::size_t e = begin; e < end; ++e) {
        const T v = rows.data[e] * c.scale;
        norm += v * v;
      }
      task.bounds->lower[i] = lower_bound(norm, second, c.max_norm, c.packed.slack);
    }
  }
}

inline double sum_lanes(Vec<double> v) {
  double lanes[kLanes<double>], total = 0;
  store(lanes, v);
  for (int half = kLanes<double> / 2; half > 0; half /= 2) {
    for (int lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  total = lanes[0];
  return total;
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
inline Vec<double> add_cluster(const Dense<T>& rows, const LeafTask<T>& task, const std::int32_t* list,
                               std::size_t count, const T* own, std::size_t j, double scale, Vec<std::int64_t> in_row,
                               double* sums, double* sq_dist) {
  constexpr int W = kLanes<double>;
  Vec<double> m[kVecs], sum[kVecs] = {}, inertia[kVecs] = {};
  for (int a = 0; a < kVecs; ++a) m[a] = load_double(own + j + a * W);
  for (std::size_t q = 0; q < count; ++q) {
    const std::size_t i = task.lo + static_cast<std::size_t>(list[q]);
    const T* x = row_of(rows, i) + j;
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
void update_rows(const Dense<T>& rows, const Centres<T>& c, const LeafTask<T>& task, Work<T>& work, Node& node) {
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
void update_rows(const Csr<T, I>& rows, const Centres<T>& c, const LeafTask<T>& task, Work<T>&, Node& node) {
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
      // The sum cancels: what it may have lost is of the order of ulp · (‖x‖ + ‖m‖)².
      if (task.bounds) {
        const double reach = std::sqrt(sq_dist) + 2 * std::sqrt(c.own_sq_norm[own]);
        task.bounds->upper[i] = upper_bound<T>(sq_dist + double(rows.d + 8) * kUlp<double> * reach * reach);
      }
      if (task.sq_dist) task.sq_dist[i] = sq_dist;
    }
  }
  node.inertia = inertia;
}

// Σ (label+1)·r(row) mod 2⁶⁴ with scrambled row numbers r: two passes that agree in it gave the same labels.
inline std::uint64_t fingerprint(const std::int32_t* label, std::uint64_t first_row, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t r = (first_row + i + 1) * 0x9E3779B97F4A7C15u;
    r = (r ^ (r >> 29)) * 0xBF58476D1CE4E5B9u;
    sum += (r ^ (r >> 32)) * (static_cast<std::uint64_t>(label[i]) + 1);
  }
  return sum;
}

// Drops from the leaf the rows whose label cannot have changed; the rest is listed.
template <class T>
std::size_t doubtful_rows(const Centres<T>& c, const LeafTask<T>& task, std::int32_t* list) {
  const Bounds<T>& b = *task.bounds;
  const T keep = 1 - 4 * kUlp<T>;
  std::size_t count = 0;
  for (std::size_t i = task.lo; i < task.hi; ++i) {
    const std::int32_t own = task.label[i];
    const T upper = (b.upper[i] + b.drift[own]) * (1 + 4 * kUlp<T>);
    const T moved = (b.lower[i] - (own == b.fastest ? b.second_drift : b.largest_drift)) * keep;
    const T apart = (b.nearest[own] - upper) * keep;
    const T lower = moved > apart ? moved : apart;
    b.lower[i] = lower;
    const T reach = upper + 2 * c.max_norm;
    const bool safe = lower > upper && (lower - upper) * (lower + upper) > c.packed.slack * reach * reach;
    list[count] = static_cast<std::int32_t>(i - task.lo);
    count += !safe;
  }
  return count;
}

template <class Rows>
void leaf(const Rows& rows, const Centres<typename Rows::Scalar>& c, const LeafTask<typename Rows::Scalar>& task,
          Work<typename Rows::Scalar>& work, Node& node) {
  using T = typename Rows::Scalar;
  const std::size_t count = task.hi - task.lo;
  if (c.k == 1 && !task.bounds) {
    for (std::size_t i = task.lo; i < task.hi; ++i) task.label[i] = 0;
  } else if (!task.bounds) {
    score_rows<T, false>(rows, c, task, work, nullptr, count);
  } else if (!task.bounds->valid) {
    score_rows<T, true>(rows, c, task, work, nullptr, count);
  } else {
    const std::size_t doubtful = doubtful_rows(c, task, work.list);
    score_rows<T, true>(rows, c, task, work, work.list, doubtful);
  }
  if (!task.update) return;
  if (task.bounds || task.sq_dist) {
    update_rows<true>(rows, c, task, work, node);
  } else {
    update_rows<false>(rows, c, task, work, node);
  }
  node.fingerprint = fingerprint(task.label + task.lo, task.first_row + task.lo, count);
}

template <class T>
constexpr LeafLoops<Dense<T>> kDense{kRowTile<T>, kCentreBlock, pack_dense<T>, leaf<Dense<T>>};
template <class T, class I>
constexpr LeafLoops<Csr<T, I>> kCsr{kRowTile<T>, kLanes<T>, pack_csr<T>, leaf<Csr<T, I>>};

}  // namespace

const LeafLoops<Dense<float>>& lloyd_loops(const Dense<float>*) { return kDense<float>; }
const LeafLoops<Dense<double>>& lloyd_loops(const Dense<double>*) { return kDense<double>; }
const LeafLoops<Csr<float, std::int32_t>>& lloyd_loops(const Csr<float, std::int32_t>*) {
  return kCsr<float, std::int32_t>;
}
const LeafLoops<Csr<float, std::int64_t>>& lloyd_loops(const Csr<float, std::int64_t>*) {
  return kCsr<float, std::int64_t>;
}
const LeafLoops<Csr<double, std::int32_t>>& lloyd_loops(const Csr<double, std::int32_t>*) {
  return kCsr<double, std::int32_t>;
}
const LeafLoops<Csr<double, std::int64_t>>& lloyd_loops(const Csr<double, std::int64_t>*) {
  return kCsr<double, std::int64_t>;
}

}  // namespace surefit::SUREFIT_LEVEL
