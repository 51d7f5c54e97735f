#include "moments.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "moments_statistic.hpp"
#include "surefit/fold.hpp"

namespace surefit::moments {
namespace {

// Statistics above this many numbers (8 MB) are not kept once per thread: threads share the blocks of one leaf.
constexpr std::size_t kWideProducts = std::size_t{1} << 20;
// The next chunk is called into the second-level cache if it is no larger than this (it shares it with the packed one).
constexpr std::size_t kAheadBytes = 640 * 1024;

// What one thread needs to work on a chunk of rows.
template <class T>
class ChunkSpace {
 public:
  ChunkSpace(const TargetRows<DenseRows<T>>& rows, const Shape& shape, std::size_t leaf_rows)
      : rows_(rows), shape_(shape), n_whole_(rows.x.d / shape.width) {
    n_tail_ = shape.n_panels - n_whole_;
    const std::size_t n = std::min({kChunkRows, leaf_rows, rows.x.n});
    // an odd number of rows apart: panels do not fall on the same cache sets
    stride_ = ((n + 1) | 1) * shape.width;
    x_.resize(n);
    numbers_.reset(shape.n_panels * stride_ + shape.padded + n * n_tail_ * shape.width + 2 * n, false);
    packed_ = numbers_.data();
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
      x_[n] = rows_.x.row(k).x;
      if (n_tail_) gather_tail(k, tail_ + n * n_tail_ * shape_.width);
      ++n;
    }
    const double *w = rows_.w ? w_ : nullptr, *sqrt_w = rows_.w ? sqrt_w_ : nullptr;
    const Chunk<T> chunk{n, x_.data(), n_whole_, n_tail_, tail_, w, sqrt_w, sums_, packed_, stride_};
    if constexpr (std::is_same_v<T, float>) {
      return loops().pack_f32(chunk, run);
    } else {
      return loops().pack_f64(chunk, run);
    }
  }

  // The products of a group of `reach` panels with all to their right; meanwhile rows [lo, hi) come nearer.
  void update(std::size_t n_packed, std::size_t group, double* blocks, bool fresh, std::size_t lo,
              std::size_t hi) const {
    const std::size_t q = shape_.n_panels, first = group * loops().reach;
    loops().update(packed_, stride_, n_packed, q, first, blocks, fresh, ahead(n_packed, group, lo, hi));
  }

 private:
  // The share of rows [lo, hi) that a group asks for: the same number of bytes for each of its tiles.
  Ahead ahead(std::size_t n_packed, std::size_t group, std::size_t lo, std::size_t hi) const {
    const std::size_t reach = loops().reach, q = shape_.n_panels, n_groups = (q + reach - 1) / reach;
    const std::size_t n_bytes = (hi - lo) * rows_.x.d * sizeof(T);
    const char* at = reinterpret_cast<const char*>(rows_.x.row(lo).x);
    if (n_bytes == 0 || n_bytes > kAheadBytes) return {at, at, 0};
    const auto tiles_before = [&](std::size_t g) { return g * q - reach * (g * (g - 1) / 2); };
    const std::size_t calls = (n_packed + kAheadEvery - 1) / kAheadEvery;  // of one tile
    const std::size_t step = (n_bytes / (tiles_before(n_groups) * calls) / 64 + 1) * 64;
    return {at + std::min(n_bytes, tiles_before(group) * calls * step), at + n_bytes, step};
  }

  void gather_tail(std::size_t k, double* to) const {
    const T* x = rows_.x.row(k).x;
    double* const end = to + n_tail_ * shape_.width;
    for (std::size_t j = n_whole_ * shape_.width; j < rows_.x.d; ++j) *to++ = static_cast<double>(x[j]);
    for (std::size_t j = 0; j < rows_.n_targets; ++j) *to++ = rows_.y[k * rows_.n_targets + j];
    while (to < end) *to++ = 0;
  }

  const TargetRows<DenseRows<T>>& rows_;
  const Shape& shape_;
  std::size_t n_whole_, n_tail_, stride_;
  std::vector<const T*> x_;
  Aligned<double> numbers_;
  double *packed_, *sums_, *tail_, *w_, *sqrt_w_;
};

// The statistic of rows [lo, hi), chunk by chunk; n_sharing threads share the blocks of each chunk (0: the caller's
// region already has its threads, and polls).
template <class T>
void leaf_moments(ChunkSpace<T>& space, const Shape& shape, std::size_t lo, std::size_t hi, int n_sharing,
                  Statistic& leaf) {
  const std::size_t reach = loops().reach, n_groups = (shape.n_panels + reach - 1) / reach;
  RunningMean run{0, leaf.mean(), leaf.low(shape)};
  double* blocks = leaf.blocks(shape);
  bool fresh = true;
  for (; lo < hi; lo += kChunkRows) {
    const std::size_t next = std::min(hi, lo + kChunkRows), after = std::min(hi, next + kChunkRows);
    const std::size_t n_packed = space.pack(lo, next, run);
    if (n_packed == 0) continue;
    const auto update = [&](std::size_t group, int) { space.update(n_packed, group, blocks, fresh, next, after); };
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
double fold(const TargetRows<DenseRows<T>>& rows, std::size_t leaf_rows, int n_threads, double* mean, double* low,
            double* products) {
  const Shape shape(rows.x.d + rows.n_targets);
  n_threads = threads_for(static_cast<double>(rows.x.n) * static_cast<double>(shape.n_products) * kVectorNs, n_threads);
  const bool wide = leaves_of(rows.x.n, leaf_rows) == 1 || shape.n_products > kWideProducts;
  const int n_sharing = wide ? n_threads : 0, n_apart = wide ? 1 : n_threads;
  Store store(shape);
  PerThread<ChunkSpace<T>> spaces(n_apart);
  Statistic all = fold_leaves(
      rows.x.n, leaf_rows, n_apart,
      [&](std::size_t lo, std::size_t hi, int thread) {
        Statistic leaf = store.take();
        leaf_moments(spaces.of(thread, rows, shape, leaf_rows), shape, lo, hi, n_sharing, leaf);
        return leaf;
      },
      [&](Statistic& left, Statistic& right) {
        merge(shape, left, right, true, wide ? n_threads : 1);
        store.give_back(std::move(right));
      });
  write(shape, all, mean, low, products);
  return all.weight;
}

#define SUREFIT_MOMENTS(R) template double fold(const TargetRows<R>&, std::size_t, int, double*, double*, double*);
SUREFIT_EACH_DENSE(SUREFIT_MOMENTS)

}  // namespace surefit::moments
