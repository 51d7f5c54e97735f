// The Lloyd pass over a block: leaves are shared out in aligned tasks of 2^s leaves; a task merges its leaves like a binary
// counter, the tasks are merged in the fixed tree. Both together are the tree over leaves, whoever did what.
#include "cluster/kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "surefit/parallel.hpp"
#include "surefit/simd.hpp"

SUREFIT_KMEANS_TABLES(baseline)
#ifdef SUREFIT_X86_LEVELS
SUREFIT_KMEANS_TABLES(v3)
SUREFIT_KMEANS_TABLES(v4)
#endif

namespace surefit::kmeans {
namespace {

constexpr std::size_t kPad = 16;                       // rows of centres and sums are padded to this many values
constexpr std::size_t kSerialWork = 1 << 21;           // n·k·d below which threads cost more than they give
constexpr std::size_t kTaskBytes = std::size_t{64} << 20;  // for the statistics of all tasks together
constexpr std::size_t kFirstLook = 8;  // centres from which double rows are first scored in single precision
constexpr double kNearby = 0.1;  // bounds pay once no centre moves further than this share of a typical distance

std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

template <class Rows>
const LeafLoops<Rows>& loops() {
  const Rows* tag = nullptr;
#ifdef SUREFIT_X86_LEVELS
  switch (level()) {
    case Level::v4: return v4::lloyd_loops(tag);
    case Level::v3: return v3::lloyd_loops(tag);
    default: break;
  }
#endif
  return baseline::lloyd_loops(tag);
}

struct NodeStore {
  Aligned<double> weight, sums;
  Aligned<unsigned char> is_touched;
  Aligned<std::size_t> touched;
  Node node{};

  void open(std::size_t k, std::size_t n_sums, std::size_t n_spans) {
    weight.reset(k);
    sums.reset(n_sums);
    is_touched.reset(n_spans);
    touched.reset(n_spans, false);
    node = {weight.data(), sums.data(), is_touched.data(), touched.data(), 0, 0.0, 0};
  }
};

// left ← left + right, right ← 0. Sums start from +0, so that a span left out equals one added as zeros.
void merge(Node& left, Node& right, std::size_t k, std::size_t span) {
  for (std::size_t c = 0; c < k; ++c) {
    left.weight[c] += right.weight[c];
    right.weight[c] = 0;
  }
  for (std::size_t t = 0; t < right.n_touched; ++t) {
    const std::size_t which = right.touched[t];
    if (!left.is_touched[which]) {
      left.is_touched[which] = 1;
      left.touched[left.n_touched++] = which;
    }
    right.is_touched[which] = 0;
    double* a = left.sums + which * span;
    double* b = right.sums + which * span;
    for (std::size_t j = 0; j < span; ++j) {
      a[j] += b[j];
      b[j] = 0;
    }
  }
  left.inertia += right.inertia;
  left.fingerprint += right.fingerprint;
  right.n_touched = 0;
  right.inertia = 0;
  right.fingerprint = 0;
}

template <class T>
struct CentreStore {
  Aligned<T> own, packed, offset, shift;
  Aligned<float> single, single_offset;
  Aligned<double> own_sq_norm;
  Centres<T> centres{};

  void open(const Problem<T>& p, std::size_t d, std::size_t unit, bool first_look) {
    const std::size_t stride = round_up(d, kPad), k_pad = round_up(p.k, unit);
    own.reset(p.k * stride);
    packed.reset(k_pad * d, false);
    offset.reset(k_pad);
    shift.reset(stride);
    own_sq_norm.reset(p.k);
    for (std::size_t j = 0; j < d && p.shift; ++j) shift[j] = static_cast<T>(p.shift[j] * p.scale);
    centres = {p.k, d, stride, own.data(), shift.data(), own_sq_norm.data(), {}, {}, static_cast<T>(p.scale), T(0)};
    centres.packed = {k_pad, packed.data(), offset.data(), T(0)};
    if (!first_look) return;
    single.reset(k_pad * d, false);
    single_offset.reset(k_pad);
    centres.single = {k_pad, single.data(), single_offset.data(), 0.0f};
  }
};

// Drifts and gaps of the centres, rounded to the safe side.
template <class T>
struct Moves {
  std::vector<T> drift, nearest;
  Bounds<T> bounds{};

  void open(const Problem<T>& p, std::size_t d, const Scratch& scratch, T* upper, T* lower) {
    const T up = 1 + 16 * std::numeric_limits<T>::epsilon(), down = 1 - 16 * std::numeric_limits<T>::epsilon();
    drift.assign(p.k, T(0));
    nearest.assign(p.k, T(0));
    bounds = {upper, lower, drift.data(), nearest.data(), T(0), T(0), -1, scratch.valid};
    if (!scratch.seen) return;
    for (std::size_t c = 0; c < p.k; ++c) {
      double sq = 0;
      for (std::size_t j = 0; j < d; ++j) {
        const double t = (p.centres[c * d + j] - scratch.centres[c * d + j]) * p.scale;
        sq += t * t;
      }
      drift[c] = static_cast<T>(std::sqrt(sq)) * up + (sq > 0 ? std::numeric_limits<T>::min() : T(0));
      if (!(drift[c] < std::numeric_limits<T>::infinity())) bounds.valid = false;
      if (bounds.fastest < 0 || drift[c] > bounds.largest_drift) {
        bounds.second_drift = bounds.largest_drift;
        bounds.largest_drift = drift[c];
        bounds.fastest = static_cast<std::int32_t>(c);
      } else {
        bounds.second_drift = std::max(bounds.second_drift, drift[c]);
      }
    }
    if (!bounds.valid) return;
    parallel_for(p.k, p.k * p.k * d < kSerialWork ? 1 : p.n_threads, [&](std::size_t a, int) {
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t b = 0; b < p.k; ++b) {
        if (b == a) continue;
        double sq = 0;
        for (std::size_t j = 0; j < d; ++j) {
          const double t = (p.centres[a * d + j] - p.centres[b * d + j]) * p.scale;
          sq += t * t;
        }
        least = std::min(least, sq);
      }
      const T gap = static_cast<T>(std::sqrt(least)) * down;
      nearest[a] = gap < std::numeric_limits<T>::infinity() ? gap : T(0);
    });
  }
};

void forget(Scratch& s, std::size_t n, std::size_t item_size) {
  s = Scratch{};
  s.item_size = item_size;
  s.label.assign(n, 0);
}

template <class T>
bool fits(const Scratch& s, const Problem<T>& p, std::size_t n, std::size_t d) {
  if (s.item_size != sizeof(T) || s.label.size() != n || s.scale != p.scale) return false;
  if (s.seen && s.centres.size() != p.k * d) return false;
  for (std::size_t j = 0; j < d && s.seen; ++j) {
    if (s.shift[j] != (p.shift ? double(p.shift[j]) : 0.0)) return false;
  }
  return true;
}

template <class T>
void check(const Problem<T>& p, std::size_t n, std::size_t d) {
  if (n == 0 || d == 0) throw std::invalid_argument("k-means needs at least one row and one column");
  if (p.k == 0) throw std::invalid_argument("k-means needs at least one centre");
  if (p.k > std::size_t{1} << 30) throw std::invalid_argument("too many centres");
  if (p.leaf_rows == 0 || p.leaf_rows > std::size_t{1} << 30 || (p.leaf_rows & (p.leaf_rows - 1)) != 0) {
    throw std::invalid_argument("leaf_rows must be a power of two");
  }
  if (!(p.scale > 0) || !(p.scale < std::numeric_limits<double>::infinity())) {
    throw std::invalid_argument("scale must be positive");
  }
}

}  // namespace

template <class Rows>
void lloyd_pass(const Rows& rows, const Problem<typename Rows::Scalar>& p, Scratch* scratch, std::int32_t* label,
                double* sq_dist, Statistic* out) {
  using T = typename Rows::Scalar;
  const std::size_t n = rows.n, d = rows.d, k = p.k, L = p.leaf_rows;
  check(p, n, d);
  const LeafLoops<Rows>& table = loops<Rows>();
  CentreStore<T> store;
  store.open(p, d, table.centre_block, !Rows::sparse && sizeof(T) == sizeof(double) && k >= kFirstLook);
  table.pack(p.centres, store.centres);

  // Bounds are kept once the centres have slowed down: until then every row would fail the test.
  Moves<T> moves;
  const Bounds<T>* bounds = nullptr;
  Aligned<std::int32_t> own_labels;
  if (scratch) {
    if (!fits(*scratch, p, n, d)) forget(*scratch, n, sizeof(T));
    if (scratch->seen && k >= 12 && k * d >= 256) {
      scratch->upper.resize(n * sizeof(T));
      scratch->lower.resize(n * sizeof(T));
      moves.open(p, d, *scratch, reinterpret_cast<T*>(scratch->upper.data()),
                 reinterpret_cast<T*>(scratch->lower.data()));
      if (moves.bounds.largest_drift < kNearby * std::sqrt(scratch->mean_sq_dist)) bounds = &moves.bounds;
    }
    label = scratch->label.data();
  } else if (!label) {
    own_labels.reset(n, false);
    label = own_labels.data();
  }

  const std::size_t n_leaves = (n + L - 1) / L;
  const std::size_t span = Rows::sparse ? 1 : store.centres.stride;
  const std::size_t n_sums = k * store.centres.stride, n_spans = n_sums / span;
  const bool update = out != nullptr;
  const std::size_t max_tasks = std::clamp<std::size_t>(kTaskBytes / ((n_sums + k) * sizeof(double)), 8, 64);
  std::size_t task_leaves = 1, n_levels = 1;
  while ((n_leaves + task_leaves - 1) / task_leaves > max_tasks) {
    task_leaves *= 2;
    ++n_levels;
  }
  const std::size_t n_tasks = (n_leaves + task_leaves - 1) / task_leaves;
  // Entries of CSR rows may be few: their work is counted by what is stored.
  const std::size_t entries = [&] {
    if constexpr (Rows::sparse) return static_cast<std::size_t>(rows.indptr[n]);
    else return n * d;
  }();
  const int n_threads =
      entries * k < kSerialWork ? 1 : std::max(1, std::min<int>(p.n_threads, static_cast<int>(n_tasks)));

  // Nodes are handed on by swapping their pointers: each set of buffers is in one place, and all outlive the pass.
  struct Thread {
    Aligned<T> tile;
    Aligned<float> single_tile;
    Aligned<std::int32_t> list, unsure, start;
    Aligned<double> sq_dist;
    NodeStore leaf;
    std::vector<NodeStore> levels;
  };
  std::vector<Thread> threads(static_cast<std::size_t>(n_threads));
  std::vector<NodeStore> results(update ? n_tasks : 0);

  parallel_for(n_tasks, n_threads, [&](std::size_t task, int id) {
    Thread& own = threads[static_cast<std::size_t>(id)];
    if (!own.tile.data()) {
      own.tile.reset(d * table.row_tile);
      own.list.reset(std::min(n, L) + 1, false);
      own.start.reset(k + 1, false);
      if (store.centres.single.values) {
        own.single_tile.reset(d * table.row_tile * 2);
        own.unsure.reset(std::min(n, L) + 1, false);
      }
      if (bounds || sq_dist) own.sq_dist.reset(std::min(n, L), false);
      if (update && n_levels > 1) {
        own.leaf.open(k, n_sums, n_spans);
        own.levels.resize(n_levels - 1);
        for (NodeStore& level : own.levels) level.open(k, n_sums, n_spans);
      }
    }
    Node nothing{};
    if (update) results[task].open(k, n_sums, n_spans);
    Node& result = update ? results[task].node : nothing;
    Node& fresh = update && n_levels > 1 ? own.leaf.node : result;
    const auto at = [&](std::size_t level) -> Node& {
      return level + 1 == n_levels ? result : own.levels[level].node;
    };
    Work<T> work{own.tile.data(), own.single_tile.data(), own.unsure.data(), own.list.data(), own.start.data(), own.sq_dist.data()};
    std::size_t filled = 0;  // bit l: at(l) holds a complete subtree of 2^l leaves; an empty node is all zeros
    const std::size_t last = std::min((task + 1) * task_leaves, n_leaves);
    for (std::size_t i = task * task_leaves; i < last; ++i) {
      const LeafTask<T> leaf{i * L, std::min((i + 1) * L, n), p.first_row, p.w, label, sq_dist, bounds, update};
      table.leaf(rows, store.centres, leaf, work, fresh);
      if (!update || n_levels == 1) continue;
      std::size_t level = 0;
      for (; filled >> level & 1; ++level) {
        merge(at(level), fresh, k, span);
        std::swap(fresh, at(level));
        filled ^= std::size_t{1} << level;
      }
      std::swap(fresh, at(level));
      filled |= std::size_t{1} << level;
    }
    if (!update || n_levels == 1) return;
    // What is left, from the right: combine(big, combine(middle, small)).
    std::size_t right = n_levels;
    for (std::size_t level = 0; level < n_levels; ++level) {
      if (!(filled >> level & 1)) continue;
      if (right < n_levels) merge(at(level), at(right), k, span);
      right = level;
    }
    if (right + 1 != n_levels) std::swap(at(right), result);
  });

  if (update) {
    merge_tree(0, n_tasks, [&](std::size_t a, std::size_t b) { merge(results[a].node, results[b].node, k, span); });
    const Node& all = results[0].node;
    out->weight.assign(all.weight, all.weight + k);
    out->sums.resize(k * d);
    for (std::size_t c = 0; c < k; ++c) {
      std::copy_n(all.sums + c * store.centres.stride, d, out->sums.data() + c * d);
    }
    out->inertia = all.inertia;
    out->fingerprint = all.fingerprint;
  }
  if (scratch) {
    double weight = 0;
    if (out) {
      for (double v : out->weight) weight += v;
      scratch->mean_sq_dist = weight > 0 ? out->inertia / weight : 0;
    }
    scratch->centres.assign(p.centres, p.centres + k * d);
    scratch->shift.assign(d, 0.0);
    if (p.shift) std::copy_n(p.shift, d, scratch->shift.begin());
    scratch->scale = p.scale;
    scratch->seen = out != nullptr;
    scratch->valid = bounds != nullptr && out != nullptr;
  }
}

template <class T>
Dense<T> dense_rows(const T* x, std::size_t n, std::size_t d, Aligned<T>& tail) {
  const std::size_t stride = round_up(d, kPad);
  std::size_t from = n;
  if (stride > d) from = n * d >= stride ? (n * d - stride) / d + 1 : 0;
  tail.reset((n - from + 1) * stride);  // the last row stays zero: no shift, for those who want none
  for (std::size_t i = from; i < n; ++i) std::copy_n(x + i * d, d, tail.data() + (i - from) * stride);
  return {x, n, d, stride, tail.data(), from};
}

template <class T, class I>
Csr<T, I> csr_rows(const T* data, std::size_t n_data, const I* indices, const I* indptr, std::size_t n, std::size_t d) {
  if (indptr[0] != 0) throw std::invalid_argument("CSR: indptr must start at 0");
  for (std::size_t i = 0; i < n; ++i) {
    if (indptr[i + 1] < indptr[i] || static_cast<std::uint64_t>(indptr[i + 1]) > n_data) {
      throw std::invalid_argument("CSR: indptr must not fall, nor pass the end of the data");
    }
  }
  bool inside = true;
  const std::size_t count = static_cast<std::size_t>(indptr[n]);
  for (std::size_t e = 0; e < count; ++e) inside &= indices[e] >= 0 && static_cast<std::uint64_t>(indices[e]) < d;
  if (!inside) throw std::invalid_argument("CSR: a column number is out of range");
  return {data, indices, indptr, n, d, round_up(d, kPad)};
}

#define SUREFIT_ROWS(R)                                                                                       \
  template void lloyd_pass<R>(const R&, const Problem<R::Scalar>&, Scratch*, std::int32_t*, double*, Statistic*);
using CsrF32 = Csr<float, std::int32_t>;
using CsrF64 = Csr<float, std::int64_t>;
using CsrD32 = Csr<double, std::int32_t>;
using CsrD64 = Csr<double, std::int64_t>;
SUREFIT_ROWS(Dense<float>)
SUREFIT_ROWS(Dense<double>)
SUREFIT_ROWS(CsrF32)
SUREFIT_ROWS(CsrF64)
SUREFIT_ROWS(CsrD32)
SUREFIT_ROWS(CsrD64)
template Dense<float> dense_rows(const float*, std::size_t, std::size_t, Aligned<float>&);
template Dense<double> dense_rows(const double*, std::size_t, std::size_t, Aligned<double>&);
template CsrF32 csr_rows(const float*, std::size_t, const std::int32_t*, const std::int32_t*, std::size_t, std::size_t);
template CsrF64 csr_rows(const float*, std::size_t, const std::int64_t*, const std::int64_t*, std::size_t, std::size_t);
template CsrD32 csr_rows(const double*, std::size_t, const std::int32_t*, const std::int32_t*, std::size_t,
                         std::size_t);
template CsrD64 csr_rows(const double*, std::size_t, const std::int64_t*, const std::int64_t*, std::size_t,
                         std::size_t);

}  // namespace surefit::kmeans
