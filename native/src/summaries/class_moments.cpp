#include "class_moments.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "class_fold.hpp"
#include "moments_statistic.hpp"
#include "surefit/fold.hpp"

namespace surefit::class_moments {
namespace {

using class_statistics::class_of;
using moments::Chunk;
using moments::kChunkRows;
using moments::RunningMean;
using moments::Shape;
using moments::Store;

constexpr std::size_t kWideProducts = std::size_t{1} << 20;  // above, threads share the blocks of one leaf

// Pooled: `all` holds the products (its mean is not used), `means` the class means. Otherwise each class has its own
// moments, allocated once it has rows.
struct Statistic {
  std::vector<double> weights;
  std::vector<std::int64_t> counts;
  Aligned<double> means;
  moments::Statistic all;
  std::vector<moments::Statistic> of_class;
};

// What one thread needs to work on a leaf. The rows of a leaf are taken class by class; packed deviations of several
// classes stand behind each other, and their products are summed together when the space is full.
template <class T>
class ClassSpace {
 public:
  ClassSpace(const LabelledRows<DenseRows<T>>& rows, const Shape& shape, std::size_t leaf_rows)
      : rows_(rows), shape_(shape), n_whole_(rows.x.d / shape.width), start_(rows.n_classes + 1) {
    n_tail_ = shape.n_panels - n_whole_;
    order_.resize(std::min(leaf_rows, rows.x.n));
    x_.resize(kChunkRows);
    stride_ = ((kChunkRows + 1) | 1) * shape.width;  // an odd number of rows: panels on different cache sets
    numbers_.reset(shape.n_panels * stride_ + shape.padded + kChunkRows * (n_tail_ * shape.width + 2), false);
    packed_ = numbers_.data();
    sums_ = packed_ + shape.n_panels * stride_;
    tail_ = sums_ + shape.padded;
    w_ = tail_ + kChunkRows * n_tail_ * shape.width;
    sqrt_w_ = w_ + kChunkRows;
  }

  // Rows [lo, hi) that count, sorted by class: those of class k are start(k) … start(k + 1) - 1.
  void sort(std::size_t lo, std::size_t hi) {
    std::fill(start_.begin(), start_.end(), 0);
    for (std::size_t k = lo; k < hi; ++k) {
      const std::size_t c = class_of(rows_, k);
      if (rows_.weight(k) != 0) ++start_[c + 1];
    }
    for (std::size_t c = 0; c < rows_.n_classes; ++c) start_[c + 1] += start_[c];
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    for (std::size_t k = lo; k < hi; ++k) {
      if (rows_.weight(k) != 0) order_[next[static_cast<std::size_t>(rows_.classes[k])]++] = k;
    }
  }
  std::size_t start(std::size_t c) const { return start_[c]; }
  std::size_t n_packed() const { return n_packed_; }
  std::size_t space() const { return kChunkRows - std::min(n_packed_, kChunkRows); }

  // Packs the sorted rows a … b - 1 (one class, at most space()) behind those already packed.
  void pack(std::size_t a, std::size_t b, RunningMean& run) {
    const std::size_t n = b - a;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t k = order_[a + i];
      x_[i] = rows_.x.row(k).x;
      if (rows_.w) {
        w_[i] = rows_.w[k];
        sqrt_w_[i] = std::sqrt(w_[i]);
      }
      if (n_tail_) gather_tail(x_[i], tail_ + i * n_tail_ * shape_.width);
    }
    const double *w = rows_.w ? w_ : nullptr, *sqrt_w = rows_.w ? sqrt_w_ : nullptr;
    double* to = packed_ + n_packed_ * shape_.width;
    const Chunk<T> chunk{n, x_.data(), n_whole_, n_tail_, tail_, w, sqrt_w, sums_, to, stride_};
    if constexpr (std::is_same_v<T, float>) {
      n_packed_ += moments::loops().pack_f32(chunk, run);
    } else {
      n_packed_ += moments::loops().pack_f64(chunk, run);
    }
  }

  // Adds the products of all that is packed to the blocks, and empties the space.
  void flush(double* blocks, bool& fresh, int n_sharing) {
    if (n_packed_ == 0) return;
    const moments::Loops& loops = moments::loops();
    const std::size_t n_groups = (shape_.n_panels + loops.reach - 1) / loops.reach;
    const auto update = [&](std::size_t group, int) {
      loops.update(packed_, stride_, n_packed_, shape_.n_panels, group * loops.reach, blocks, fresh,
                   {nullptr, nullptr, 0});
    };
    if (n_sharing > 0) {
      parallel_for(n_groups, n_sharing, update);
    } else {
      for (std::size_t group = 0; group < n_groups; ++group) update(group, 0);
    }
    fresh = false;
    n_packed_ = 0;
  }

 private:
  void gather_tail(const T* x, double* to) const {
    double* const end = to + shape_.width;
    for (std::size_t j = n_whole_ * shape_.width; j < rows_.x.d; ++j) *to++ = static_cast<double>(x[j]);
    while (to < end) *to++ = 0;
  }

  const LabelledRows<DenseRows<T>>& rows_;
  const Shape& shape_;
  std::size_t n_whole_, n_tail_, stride_, n_packed_ = 0;
  std::vector<std::size_t> start_, order_;
  std::vector<const T*> x_;
  Aligned<double> numbers_;
  double *packed_, *sums_, *tail_, *w_, *sqrt_w_;
};

template <class T>
Statistic leaf_statistic(ClassSpace<T>& work, const Shape& shape, std::size_t n_classes, bool pooled,
                              std::size_t lo, std::size_t hi, int n_sharing, Store& store) {
  Statistic leaf;
  leaf.weights.assign(n_classes, 0.0);
  leaf.counts.assign(n_classes, 0);
  if (pooled) {
    leaf.means.reset(n_classes * shape.padded, false);
    leaf.all = store.take();
  } else {
    leaf.of_class.resize(n_classes);
  }
  work.sort(lo, hi);
  bool fresh = true;
  for (std::size_t c = 0; c < n_classes; ++c) {
    std::size_t at = work.start(c);
    const std::size_t end = work.start(c + 1);
    leaf.counts[c] = static_cast<std::int64_t>(end - at);
    if (at == end) continue;
    if (!pooled) {
      leaf.of_class[c] = store.take();
      fresh = true;
    }
    RunningMean run{0, pooled ? leaf.means.data() + c * shape.padded : leaf.of_class[c].mean(), nullptr};
    double* blocks = pooled ? leaf.all.blocks(shape) : leaf.of_class[c].blocks(shape);
    while (at < end) {
      const std::size_t next = std::min(end, at + work.space());
      work.pack(at, next, run);
      at = next;
      if (work.space() == 0) work.flush(blocks, fresh, n_sharing);
    }
    leaf.weights[c] = run.weight;
    if (pooled) {
      leaf.all.weight += run.weight;
    } else {
      leaf.of_class[c].weight = run.weight;
      work.flush(blocks, fresh, n_sharing);
    }
  }
  if (pooled) {
    work.flush(leaf.all.blocks(shape), fresh, n_sharing);
    if (fresh) std::fill_n(leaf.all.blocks(shape), shape.n_products, 0.0);
  }
  return leaf;
}

// With δ_k = m_k,right - m_k,left and u_k = δ_k √(W_k,left · (W_k,right / W_k)):  S = (S_left + S_right) + Σ_k u_k u_kᵀ,
// one class after the other. Operation by operation what surefit/summaries/class_moments.py does in `combine`.
void merge_pooled(const Shape& shape, Statistic& left, Statistic& right, int n_threads) {
  std::vector<const double*> steps;
  for (std::size_t c = 0; c < left.weights.size(); ++c) {
    if (right.weights[c] == 0) continue;
    double *mean = left.means.data() + c * shape.padded, *u = right.means.data() + c * shape.padded;
    if (left.weights[c] == 0) {
      std::copy_n(u, shape.padded, mean);
      left.weights[c] = right.weights[c];
      continue;
    }
    const double weight = left.weights[c] + right.weights[c], share = right.weights[c] / weight;
    const double scale = std::sqrt(left.weights[c] * share);
    for (std::size_t j = 0; j < shape.padded; ++j) {
      const double step = u[j] - mean[j];
      mean[j] = mean[j] + step * share;
      u[j] = step * scale;
    }
    left.weights[c] = weight;
    steps.push_back(u);
  }
  const std::size_t width = shape.width, area = width * width;
  parallel_for(shape.n_panels, n_threads, [&](std::size_t q, int) {
    double* to = left.all.blocks(shape) + q * (q + 1) / 2 * area;
    const double* from = right.all.blocks(shape) + q * (q + 1) / 2 * area;
    for (std::size_t i = 0; i <= q; ++i, to += area, from += area) {
      for (std::size_t e = 0; e < area; ++e) to[e] = to[e] + from[e];
      for (const double* u : steps) {
        for (std::size_t c = 0; c < width; ++c) {
          const double uc = u[q * width + c];
          for (std::size_t r = 0; r < width; ++r) to[c * width + r] += u[i * width + r] * uc;
        }
      }
    }
  });
  left.all.weight += right.all.weight;
}

// A class without weight has zeros.
void write(const Shape& shape, Statistic& all, bool pooled, std::size_t n_classes, const Out& out) {
  const std::size_t d = shape.n_columns;
  moments::Statistic none;
  const bool some = !all.weights.empty();  // any rows
  std::vector<double> unused(d);
  for (std::size_t c = 0; c < n_classes; ++c) {
    out.weights[c] = some ? all.weights[c] : 0.0;
    out.counts[c] = some ? all.counts[c] : 0;
    if (pooled) {
      const double* mean = out.weights[c] > 0 ? all.means.data() + c * shape.padded : unused.data();
      std::copy_n(mean, d, out.means + c * d);
    } else {
      moments::write(shape, some ? all.of_class[c] : none, out.means + c * d, nullptr, out.products + c * d * d);
    }
  }
  if (pooled) moments::write(shape, all.all, unused.data(), nullptr, out.products);
}

}  // namespace

template <class T>
void fold(const LabelledRows<DenseRows<T>>& rows, bool pooled, std::size_t leaf_rows, int n_threads, const Out& out) {
  const Shape shape(rows.x.d);
  const std::size_t n_classes = rows.n_classes;
  n_threads = threads_for(static_cast<double>(rows.x.n) * static_cast<double>(shape.n_products) * kVectorNs, n_threads);
  const bool wide =
      leaves_of(rows.x.n, leaf_rows) == 1 || shape.n_products * (pooled ? 1 : n_classes) > kWideProducts;
  const int n_sharing = wide ? n_threads : 0, n_apart = wide ? 1 : n_threads;
  Store store(shape);
  PerThread<ClassSpace<T>> spaces(n_apart);
  const auto leaf = [&](std::size_t lo, std::size_t hi, int thread) {
    return leaf_statistic(spaces.of(thread, rows, shape, leaf_rows), shape, n_classes, pooled, lo, hi, n_sharing, store);
  };
  const auto merge = [&](Statistic& left, Statistic& right) {
    for (std::size_t c = 0; c < n_classes; ++c) left.counts[c] += right.counts[c];
    if (pooled) {
      merge_pooled(shape, left, right, wide ? n_threads : 1);
      store.give_back(std::move(right.all));
      return;
    }
    for (std::size_t c = 0; c < n_classes; ++c) {
      moments::merge(shape, left.of_class[c], right.of_class[c], false, wide ? n_threads : 1);
      left.weights[c] = left.of_class[c].weight;
      if (right.of_class[c].numbers) store.give_back(std::move(right.of_class[c]));
    }
  };
  Statistic all = fold_leaves(rows.x.n, leaf_rows, n_apart, leaf, merge);
  write(shape, all, pooled, n_classes, out);
}

#define SUREFIT_CLASS_MOMENTS(R) template void fold(const LabelledRows<R>&, bool, std::size_t, int, const Out&);
SUREFIT_EACH_DENSE(SUREFIT_CLASS_MOMENTS)

}  // namespace surefit::class_moments
