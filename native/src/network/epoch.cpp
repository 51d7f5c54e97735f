#include "network/epoch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "network/layers.hpp"
#include "surefit/aligned.hpp"
#include "surefit/fold.hpp"

namespace surefit::network {
namespace {

constexpr std::size_t kSquares = 1 << 12;  // parameters whose squares are summed by one task
constexpr std::size_t kTile = 32;          // rows and columns of a tile that is turned

template <class T>
class Epoch {
 public:
  Epoch(const std::vector<Layer<T>>& layers, Activation activation, Loss loss, const Examples<T>& examples,
        std::size_t batch, const std::vector<const T*>& masks, const Adam& adam, int n_threads)
      : layers_(layers), activation_(activation), loss_(loss), examples_(examples), masks_(masks), adam_(adam),
        n_threads_(n_threads), targets_(batch * layers.back().out), deltas_(layers.size()), active_(layers.size()) {
    if (examples.places != nullptr) inputs_.reset(batch * layers.front().in, false);
    std::size_t most = 0;
    for (std::size_t l = 0; l < layers.size(); ++l) {
      active_[l].reset(batch * layers[l].out, false);
      if (l + 1 < layers.size()) deltas_[l].reset(batch * layers[l].out, false);
      if (!masks.empty() && l + 1 < layers.size()) given_.emplace_back(batch * layers[l].out);
      if (l > 0) most = std::max(most, layers[l].in * layers[l].out);
      slopes_.reset(std::max(slopes_.size(), layers[l].out), false);
    }
    turned_.reset(most, false);
  }

  void step(std::size_t first, std::size_t m) {
    const double* weights = examples_.weights == nullptr ? nullptr : examples_.weights + first;
    const double weight = weights == nullptr ? static_cast<double>(m) : std::accumulate(weights, weights + m, 0.0);
    if (weight == 0) return;
    const std::size_t last = layers_.size() - 1;
    const T* x = inputs(first, m);
    for (std::size_t l = 0; l <= last; ++l) {
      const Layer<T>& layer = layers_[l];
      const Activation activation = l == last ? Activation::identity : activation_;
      forward(input(l, x), layer.w.values, layer.b.values, active_[l].data(), m, layer.out, layer.in, activation,
              n_threads_);
      if (l < last && !masks_.empty()) mask(l, m);
    }
    T* delta = active_[last].data();
    seen_.loss += penalty() + loss_slopes(loss_, delta, targets(first, m), weights, m, layers_[last].out);
    seen_.weight += weight;
    ++seen_.steps;
    for (std::size_t l = last + 1; l-- > 0;) {
      T* before = l == 0 ? nullptr : deltas_[l - 1].data();
      if (l > 0) back(l, delta, before, m);
      descend_layer(l, input(l, x), delta, m, 1 / weight, l == 0 ? first + m : examples_.n);
      delta = before;
    }
  }

  const Seen& seen() const { return seen_; }

 private:
  // Rows of X, gathered where they do not stand side by side.
  const T* inputs(std::size_t first, std::size_t m) {
    const std::size_t d = layers_.front().in;
    if (examples_.places == nullptr) return examples_.x + first * d;
    gather(examples_.x, examples_.places + first, inputs_.data(), m, d, n_threads_);
    return inputs_.data();
  }

  const T* targets(std::size_t first, std::size_t m) {
    const std::size_t c = layers_.back().out;
    if (examples_.places == nullptr) return examples_.y + first * c;
    gather(examples_.y, examples_.places + first, targets_.data(), m, c, 1);
    return targets_.data();
  }

  const T* input(std::size_t l, const T* x) const {
    return l == 0 ? x : masks_.empty() ? active_[l - 1].data() : given_[l - 1].data();
  }

  void mask(std::size_t l, std::size_t m) {
    const T* a = active_[l].data();
    T* given = given_[l].data();
    for (std::size_t i = 0; i < m * layers_[l].out; ++i) given[i] = a[i] * masks_[l][i];
  }

  // (α/2) Σ ‖W‖²
  double penalty() const {
    if (adam_.alpha == 0) return 0;
    double sum = 0;
    for (const Layer<T>& layer : layers_) {
      const std::size_t n = layer.in * layer.out, tasks = (n + kSquares - 1) / kSquares;
      std::vector<double> parts(tasks);
      parallel_for(tasks, threads_awake(static_cast<double>(n) * kVectorNs, n_threads_), [&](std::size_t i, int) {
        parts[i] = loops<T>().squares(layer.w.values + i * kSquares, std::min(kSquares, n - i * kSquares));
      });
      sum += tree_sum(parts.data(), tasks);
    }
    return adam_.alpha / 2 * sum;
  }

  // The slopes of the scores of the layer before l.
  void back(std::size_t l, const T* delta, T* before, std::size_t m) {
    const Layer<T>& layer = layers_[l];
    turn(layer);
    backward(delta, turned_.data(), active_[l - 1].data(), masks_.empty() ? nullptr : masks_[l - 1], before, m,
             layer.out, layer.in, activation_, n_threads_);
  }

  // Wᵀ, in tiles that stay in the cache
  void turn(const Layer<T>& layer) {
    const std::size_t in = layer.in, out = layer.out, strips = (in + kTile - 1) / kTile;
    const double work = static_cast<double>(in) * static_cast<double>(out) * kScalarNs;
    parallel_for(strips, threads_awake(work, n_threads_), [&](std::size_t strip, int) {
      const std::size_t i0 = strip * kTile, i1 = std::min(in, i0 + kTile);
      for (std::size_t j0 = 0; j0 < out; j0 += kTile) {
        const std::size_t j1 = std::min(out, j0 + kTile);
        for (std::size_t i = i0; i < i1; ++i) {
          for (std::size_t j = j0; j < j1; ++j) turned_[j * in + i] = layer.w.values[i * out + j];
        }
      }
    });
  }

  // next: the first example of the next batch, whose rows are asked for meanwhile; n where there is none to come
  void descend_layer(std::size_t l, const T* a, const T* delta, std::size_t m, double share, std::size_t next) {
    const Layer<T>& layer = layers_[l];
    const std::int64_t t = adam_.t + seen_.steps;
    Moved moved;
    const std::size_t coming = std::min(m, examples_.n - next);
    if (examples_.places != nullptr && coming > 0) {
      moved = [&, next, coming](std::size_t i, std::size_t j, Size size) {
        const std::size_t last = next + coming * (j + size.columns) / layer.out;
        for (std::size_t r = next + coming * j / layer.out; r < last; ++r) {
          const T* row = examples_.x + static_cast<std::size_t>(examples_.places[r]) * layer.in;
          for (std::size_t k = i; k < i + size.rows; k += 64 / sizeof(T)) __builtin_prefetch(row + k, 0, 2);
        }
      };
    }
    T* slopes = slopes_.data();
    std::fill_n(slopes, layer.out, T(0));
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < layer.out; ++j) slopes[j] += delta[i * layer.out + j];
    }
    descend(a, delta, adam_.step(layer.w, share, t), m, layer.out, layer.in, n_threads_, moved);
    descend(slopes, adam_.free().step(layer.b, share, t), layer.out, 1);
  }

  const std::vector<Layer<T>>& layers_;
  const Activation activation_;
  const Loss loss_;
  const Examples<T>& examples_;
  const std::vector<const T*>& masks_;
  const Adam& adam_;
  const int n_threads_;
  Seen seen_{};
  Aligned<T> inputs_, targets_, turned_, slopes_;
  std::vector<Aligned<T>> deltas_, active_, given_;  // slopes, activations, activations after their masks
};

}  // namespace

double Adam::rate_at(std::int64_t t) const {
  if (t <= 0) return rate;
  const auto steps = static_cast<double>(t);
  return rate * std::sqrt(1 - std::pow(beta_2, steps)) / (1 - std::pow(beta_1, steps));
}

template <class T>
Seen adam_epoch(const std::vector<Layer<T>>& layers, Activation activation, Loss loss, const Examples<T>& examples,
                std::size_t batch, const std::vector<const T*>& masks, const Adam& adam, int n_threads) {
  batch = std::min(batch, examples.n);
  Epoch<T> epoch(layers, activation, loss, examples, batch, masks, adam, n_threads);
  for (std::size_t first = 0; first < examples.n; first += batch) {
    poll_task(0);
    epoch.step(first, std::min(batch, examples.n - first));
  }
  return epoch.seen();
}

template Seen adam_epoch(const std::vector<Layer<float>>&, Activation, Loss, const Examples<float>&, std::size_t,
                         const std::vector<const float*>&, const Adam&, int);
template Seen adam_epoch(const std::vector<Layer<double>>&, Activation, Loss, const Examples<double>&, std::size_t,
                         const std::vector<const double*>&, const Adam&, int);

}  // namespace surefit::network
