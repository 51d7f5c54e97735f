#include "class_moments.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "fold_tree.hpp"
#include "moments_statistic.hpp"
#include "surefit/parallel.hpp"

namespace surefit {
namespace {

constexpr double kSerialWork = 2e6;                          // multiplications; below, threads cost more than they save
constexpr std::size_t kWideProducts = std::size_t{1} << 20;  // above, threads share the blocks of one leaf

// Pooled: `all` holds the products (its mean is not used), `means` the class means. Otherwise each class has its own
// moments, allocated once it has rows.
struct ClassStatistic {
  std::vector<double> weights;
  std::vector<std::int64_t> counts;
  Doubles means;
  MomentsStatistic all;
  std::vector<MomentsStatistic> apart;
};

// What one thread needs to work on a leaf. The rows of a leaf are taken class by class; packed deviations of several
// classes stand behind each other, and their products are summed together when the room is full.
template <class T>
class ClassRoom {
 public:
  ClassRoom(const LabelledRows<T>& rows, const MomentsShape& shape, std::size_t leaf_rows)
      : rows_(rows), shape_(shape), n_whole_(rows.n_features / shape.width), start_(rows.n_classes + 1) {
    n_tail_ = shape.n_panels - n_whole_;
    order_.resize(std::min(leaf_rows, rows.n_rows));
    x_.resize(kChunkRows);
    stride_ = ((kChunkRows + 1) | 1) * shape.width;  // an odd number of rows: panels on different cache sets
    numbers_ = allocate_doubles(shape.n_panels * stride_ + shape.padded + kChunkRows * (n_tail_ * shape.width + 2));
    packed_ = numbers_.get();
    sums_ = packed_ + shape.n_panels * stride_;
    tail_ = sums_ + shape.padded;
    w_ = tail_ + kChunkRows * n_tail_ * shape.width;
    sqrt_w_ = w_ + kChunkRows;
  }

  // Rows [lo, hi) that count, sorted by class: those of class k are start(k) … start(k + 1) - 1.
  void sort(std::size_t lo, std::size_t hi) {
    std::fill(start_.begin(), start_.end(), 0);
    for (std::size_t k = lo; k < hi; ++k) {
      const std::int32_t c = rows_.classes[k];
      if (c < 0 || static_cast<std::size_t>(c) >= rows_.n_classes) {
        throw std::invalid_argument("row " + std::to_string(k) + " has class " + std::to_string(c) +
                                    ", outside 0 … " + std::to_string(rows_.n_classes) + " - 1");
      }
      if (!rows_.w || rows_.w[k] != 0) ++start_[static_cast<std::size_t>(c) + 1];
    }
    for (std::size_t c = 0; c < rows_.n_classes; ++c) start_[c + 1] += start_[c];
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    for (std::size_t k = lo; k < hi; ++k) {
      if (!rows_.w || rows_.w[k] != 0) order_[next[static_cast<std::size_t>(rows_.classes[k])]++] = k;
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
      x_[i] = rows_.x + k * rows_.n_features;
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
      n_packed_ += moments_loops().pack_f32(chunk, run);
    } else {
      n_packed_ += moments_loops().pack_f64(chunk, run);
    }
  }

  // Adds the products of all that is packed to the blocks, and empties the room.
  void flush(double* blocks, bool& fresh, int n_sharing) {
    if (n_packed_ == 0) return;
    const MomentsLoops& loops = moments_loops();
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
    for (std::size_t j = n_whole_ * shape_.width; j < rows_.n_features; ++j) *to++ = static_cast<double>(x[j]);
    while (to < end) *to++ = 0;
  }

  const LabelledRows<T>& rows_;
  const MomentsShape& shape_;
  std::size_t n_whole_, n_tail_, stride_, n_packed_ = 0;
  std::vector<std::size_t> start_, order_;
  std::vector<const T*> x_;
  Doubles numbers_;
  double *packed_, *sums_, *tail_, *w_, *sqrt_w_;
};

template <class T>
ClassStatistic leaf_statistic(ClassRoom<T>& room, const MomentsShape& shape, std::size_t n_classes, bool pooled,
                              std::size_t lo, std::size_t hi, int n_sharing, MomentsStore& store) {
  ClassStatistic leaf;
  leaf.weights.assign(n_classes, 0.0);
  leaf.counts.assign(n_classes, 0);
  if (pooled) {
    leaf.means = allocate_doubles(n_classes * shape.padded);
    leaf.all = store.take();
  } else {
    leaf.apart.resize(n_classes);
  }
  room.sort(lo, hi);
  bool fresh = true;
  for (std::size_t c = 0; c < n_classes; ++c) {
    std::size_t at = room.start(c);
    const std::size_t end = room.start(c + 1);
    leaf.counts[c] = static_cast<std::int64_t>(end - at);
    if (at == end) continue;
    if (!pooled) {
      leaf.apart[c] = store.take();
      fresh = true;
    }
    RunningMean run{0, pooled ? leaf.means.get() + c * shape.padded : leaf.apart[c].mean(), nullptr};
    double* blocks = pooled ? leaf.all.blocks(shape) : leaf.apart[c].blocks(shape);
    while (at < end) {
      const std::size_t next = std::min(end, at + room.space());
      room.pack(at, next, run);
      at = next;
      if (room.space() == 0) room.flush(blocks, fresh, n_sharing);
    }
    leaf.weights[c] = run.weight;
    if (pooled) {
      leaf.all.weight += run.weight;
    } else {
      leaf.apart[c].weight = run.weight;
      room.flush(blocks, fresh, n_sharing);
    }
  }
  if (pooled) {
    room.flush(leaf.all.blocks(shape), fresh, n_sharing);
    if (fresh) std::fill_n(leaf.all.blocks(shape), shape.n_products, 0.0);
  }
  return leaf;
}

// With δ_k = m_k,right - m_k,left and u_k = δ_k √(W_k,left · (W_k,right / W_k)):  S = (S_left + S_right) + Σ_k u_k u_kᵀ,
// one class after the other. Operation by operation what surefit/engine/class_moments.py does in `combine`.
void merge_pooled(const MomentsShape& shape, ClassStatistic& left, ClassStatistic& right, int n_threads) {
  std::vector<const double*> steps;
  for (std::size_t c = 0; c < left.weights.size(); ++c) {
    if (right.weights[c] == 0) continue;
    double *mean = left.means.get() + c * shape.padded, *u = right.means.get() + c * shape.padded;
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

}  // namespace

template <class T>
void class_moments(const LabelledRows<T>& rows, bool pooled, std::size_t leaf_rows, int n_threads,
                   const ClassMomentsOut& out) {
  const MomentsShape shape(rows.n_features);
  const std::size_t d = rows.n_features, n_classes = rows.n_classes;
  const std::size_t n_leaves = (rows.n_rows + leaf_rows - 1) / leaf_rows;
  const double work = static_cast<double>(rows.n_rows) * static_cast<double>(shape.n_products);
  if (work < kSerialWork || n_threads < 1) n_threads = 1;
  const bool wide = n_leaves == 1 || shape.n_products * (pooled ? 1 : n_classes) > kWideProducts;
  MomentsStore store(shape);
  const auto merge = [&](ClassStatistic& left, ClassStatistic& right) {
    for (std::size_t c = 0; c < n_classes; ++c) left.counts[c] += right.counts[c];
    if (pooled) {
      merge_pooled(shape, left, right, wide ? n_threads : 1);
      store.give_back(std::move(right.all));
      return;
    }
    for (std::size_t c = 0; c < n_classes; ++c) {
      merge_moments(shape, left.apart[c], right.apart[c], false, wide ? n_threads : 1);
      left.weights[c] = left.apart[c].weight;
      if (right.apart[c].numbers) store.give_back(std::move(right.apart[c]));
    }
  };
  FoldTree<ClassStatistic, std::function<void(ClassStatistic&, ClassStatistic&)>> tree(n_leaves, merge);
  std::vector<std::unique_ptr<ClassRoom<T>>> rooms(wide ? 1 : static_cast<std::size_t>(n_threads));
  const auto leaf = [&](std::size_t i, std::size_t thread, int n_sharing) {
    if (!rooms[thread]) rooms[thread] = std::make_unique<ClassRoom<T>>(rows, shape, leaf_rows);
    const std::size_t lo = i * leaf_rows, hi = std::min(rows.n_rows, lo + leaf_rows);
    tree.add(i, leaf_statistic(*rooms[thread], shape, n_classes, pooled, lo, hi, n_sharing, store));
  };
  if (wide) {
    parallel_for(n_leaves, 1, [&](std::size_t i, int) { leaf(i, 0, n_threads); });
  } else {
    parallel_for(n_leaves, n_threads, [&](std::size_t i, int thread) { leaf(i, static_cast<std::size_t>(thread), 0); });
  }
  ClassStatistic& root = tree.root();
  const bool some = n_leaves > 0;
  std::vector<double> unused(d);
  for (std::size_t c = 0; c < n_classes; ++c) {
    out.weights[c] = some ? root.weights[c] : 0.0;
    out.counts[c] = some ? root.counts[c] : 0;
    if (pooled) {
      const double* mean = out.weights[c] > 0 ? root.means.get() + c * shape.padded : unused.data();
      std::copy_n(mean, d, out.means + c * d);
    } else {
      MomentsStatistic none;
      write_moments(shape, some ? root.apart[c] : none, out.means + c * d, nullptr, out.products + c * d * d);
    }
  }
  if (pooled) write_moments(shape, root.all, unused.data(), nullptr, out.products);
}

template void class_moments(const LabelledRows<float>&, bool, std::size_t, int, const ClassMomentsOut&);
template void class_moments(const LabelledRows<double>&, bool, std::size_t, int, const ClassMomentsOut&);

}  // namespace surefit
