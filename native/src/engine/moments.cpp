#include "moments.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "fold_tree.hpp"
#include "moments_statistic.hpp"
#include "surefit/parallel.hpp"

namespace surefit {
namespace {

// Below this many multiplications starting threads costs more than it saves.
constexpr double kSerialWork = 2e6;
// Statistics above this many numbers (8 MB) are not kept once per thread: threads share the blocks of one leaf.
constexpr std::size_t kWideProducts = std::size_t{1} << 20;
// The next chunk is called into the second-level cache if it is no larger than this (it shares it with the packed one).
constexpr std::size_t kAheadBytes = 640 * 1024;

// What one thread needs to work on a chunk of rows.
template <class T>
class ChunkRoom {
 public:
  ChunkRoom(const DenseRows<T>& rows, const MomentsShape& shape, std::size_t leaf_rows)
      : rows_(rows), shape_(shape), n_whole_(rows.n_features / shape.width) {
    n_tail_ = shape.n_panels - n_whole_;
    const std::size_t n = std::min({kChunkRows, leaf_rows, rows.n_rows});
    // an odd number of rows apart: panels do not fall on the same cache sets
    stride_ = ((n + 1) | 1) * shape.width;
    x_.resize(n);
    numbers_ = allocate_doubles(shape.n_panels * stride_ + shape.padded + n * n_tail_ * shape.width + 2 * n);
    packed_ = numbers_.get();
    sums_ = packed_ + shape.n_panels * stride_;
    tail_ = sums_ + shape.padded;
    w_ = tail_ + n * n_tail_ * shape.width;
    sqrt_w_ = w_ + n;
  }

  // Rows [lo, hi), at most kChunkRows: packs those that count. Returns the number of packed rows.
  std::size_t pack(std::size_t lo, std::size_t hi, RunningMean& run) {
    std::size_t n = 0;
    for (std::size_t k = lo; k < hi; ++k) {
      if (rows_.w) {
        if (rows_.w[k] == 0) continue;
        w_[n] = rows_.w[k];
        sqrt_w_[n] = std::sqrt(w_[n]);
      }
      x_[n] = rows_.x + k * rows_.n_features;
      if (n_tail_) gather_tail(k, tail_ + n * n_tail_ * shape_.width);
      ++n;
    }
    const double *w = rows_.w ? w_ : nullptr, *sqrt_w = rows_.w ? sqrt_w_ : nullptr;
    const Chunk<T> chunk{n, x_.data(), n_whole_, n_tail_, tail_, w, sqrt_w, sums_, packed_, stride_};
    if constexpr (std::is_same_v<T, float>) {
      return moments_loops().pack_f32(chunk, run);
    } else {
      return moments_loops().pack_f64(chunk, run);
    }
  }

  // The products of a group of `reach` panels with all to their right; meanwhile rows [lo, hi) come nearer.
  void update(std::size_t n_packed, std::size_t group, double* blocks, bool fresh, std::size_t lo,
              std::size_t hi) const {
    const MomentsLoops& loops = moments_loops();
    const std::size_t q = shape_.n_panels, first = group * loops.reach;
    loops.update(packed_, stride_, n_packed, q, first, blocks, fresh, ahead(n_packed, group, lo, hi));
  }

 private:
  // The share of rows [lo, hi) that a group asks for: the same number of bytes for each of its tiles.
  Ahead ahead(std::size_t n_packed, std::size_t group, std::size_t lo, std::size_t hi) const {
    const std::size_t reach = moments_loops().reach, q = shape_.n_panels, n_groups = (q + reach - 1) / reach;
    const std::size_t n_bytes = (hi - lo) * rows_.n_features * sizeof(T);
    const char* at = reinterpret_cast<const char*>(rows_.x + lo * rows_.n_features);
    if (n_bytes == 0 || n_bytes > kAheadBytes) return {at, at, 0};
    const auto tiles_before = [&](std::size_t g) { return g * q - reach * (g * (g - 1) / 2); };
    const std::size_t calls = (n_packed + kAheadEvery - 1) / kAheadEvery;  // of one tile
    const std::size_t step = (n_bytes / (tiles_before(n_groups) * calls) / 64 + 1) * 64;
    return {at + std::min(n_bytes, tiles_before(group) * calls * step), at + n_bytes, step};
  }

  void gather_tail(std::size_t k, double* to) const {
    const T* x = rows_.x + k * rows_.n_features;
    double* const end = to + n_tail_ * shape_.width;
    for (std::size_t j = n_whole_ * shape_.width; j < rows_.n_features; ++j) *to++ = static_cast<double>(x[j]);
    for (std::size_t j = 0; j < rows_.n_targets; ++j) *to++ = rows_.y[k * rows_.n_targets + j];
    while (to < end) *to++ = 0;
  }

  const DenseRows<T>& rows_;
  const MomentsShape& shape_;
  std::size_t n_whole_, n_tail_, stride_;
  std::vector<const T*> x_;
  Doubles numbers_;
  double *packed_, *sums_, *tail_, *w_, *sqrt_w_;
};

// The statistic of rows [lo, hi), chunk by chunk; n_sharing threads share the blocks of each chunk (0: the caller's
// region already has its threads, and polls).
template <class T>
void leaf_moments(ChunkRoom<T>& room, const MomentsShape& shape, std::size_t lo, std::size_t hi, int n_sharing,
                  MomentsStatistic& leaf) {
  const std::size_t reach = moments_loops().reach, n_groups = (shape.n_panels + reach - 1) / reach;
  RunningMean run{0, leaf.mean(), leaf.low(shape)};
  double* blocks = leaf.blocks(shape);
  bool fresh = true;
  for (; lo < hi; lo += kChunkRows) {
    const std::size_t next = std::min(hi, lo + kChunkRows), after = std::min(hi, next + kChunkRows);
    const std::size_t n_packed = room.pack(lo, next, run);
    if (n_packed == 0) continue;
    const auto update = [&](std::size_t group, int) { room.update(n_packed, group, blocks, fresh, next, after); };
    if (n_sharing > 0) {
      parallel_for(n_groups, n_sharing, update);
    } else {
      for (std::size_t group = 0; group < n_groups; ++group) update(group, 0);
    }
    fresh = false;
  }
  leaf.weight = run.weight;
}

}  // namespace

template <class T>
double moments(const DenseRows<T>& rows, std::size_t leaf_rows, int n_threads, double* mean, double* low,
               double* products) {
  const MomentsShape shape(rows.n_features + rows.n_targets);
  const std::size_t n_leaves = (rows.n_rows + leaf_rows - 1) / leaf_rows;
  const double work = static_cast<double>(rows.n_rows) * static_cast<double>(shape.n_products);
  if (work < kSerialWork || n_threads < 1) n_threads = 1;
  const bool wide = n_leaves == 1 || shape.n_products > kWideProducts;
  MomentsStore store(shape);
  FoldTree<MomentsStatistic, std::function<void(MomentsStatistic&, MomentsStatistic&)>> tree(
      n_leaves, [&](MomentsStatistic& left, MomentsStatistic& right) {
        merge_moments(shape, left, right, true, wide ? n_threads : 1);
        store.give_back(std::move(right));
      });
  std::vector<std::unique_ptr<ChunkRoom<T>>> rooms(wide ? 1 : static_cast<std::size_t>(n_threads));
  const auto leaf = [&](std::size_t i, std::size_t thread, int n_sharing) {
    if (!rooms[thread]) rooms[thread] = std::make_unique<ChunkRoom<T>>(rows, shape, leaf_rows);
    MomentsStatistic statistic = store.take();
    const std::size_t lo = i * leaf_rows, hi = std::min(rows.n_rows, lo + leaf_rows);
    leaf_moments(*rooms[thread], shape, lo, hi, n_sharing, statistic);
    tree.add(i, std::move(statistic));
  };
  if (wide) {
    parallel_for(n_leaves, 1, [&](std::size_t i, int) { leaf(i, 0, n_threads); });  // a region, so that it is polled
  } else {
    parallel_for(n_leaves, n_threads, [&](std::size_t i, int thread) { leaf(i, static_cast<std::size_t>(thread), 0); });
  }
  write_moments(shape, tree.root(), mean, low, products);
  return tree.root().weight;
}

template double moments(const DenseRows<float>&, std::size_t, int, double*, double*, double*);
template double moments(const DenseRows<double>&, std::size_t, int, double*, double*, double*);

}  // namespace surefit
