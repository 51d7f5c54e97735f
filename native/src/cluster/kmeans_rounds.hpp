// One round of k-means++: distances of all rows, taken in canonical order, to the trials of the round.
//
// set_trials(positions, count) opens a round; round(lo, hi, …) does positions lo … hi-1: with `winner` the distances to
// the trial that won the round before (or null), nearest ← min(nearest, winner), distances to trial t are written at
// t·n_pad, and potential[t] = Σ w · min(nearest, distance).
#pragma once

#include <algorithm>
#include <vector>

#include "cluster/kmeans.hpp"
#include "surefit/fold.hpp"

namespace surefit::kmeans {

// Dense rows are kept in tiles (kmeans_seed_leaf.cpp).
template <class T>
class DenseRounds {
 public:
  std::size_t n, leaf, n_pad;  // rows, rows of a leaf, rows with those that fill the last tile
  Aligned<double> w;           // in canonical order

  DenseRounds(const PaddedRows<T>& rows, const SeedProblem& p, double scale)
      : n(p.n), rows_(rows), order_(p.order), scale_(static_cast<T>(scale)) {
    const std::size_t R = loops_.row_tile;
    leaf = std::max<std::size_t>(1, p.leaf_rows / R) * R;
    n_pad = leaves_of(n, R) * R;
    tiles_.reset(n_pad * rows.d, false);
    w.reset(n_pad);
    for (std::size_t i = 0; i < n; ++i) w[i] = p.w ? p.w[i] : 1.0;
    parallel_for(leaves_of(n, leaf), p.n_threads, [&](std::size_t l, int) {
      loops_.pack(rows_, order_, l * leaf, std::min(n, (l + 1) * leaf), scale_, tiles_.data() + l * leaf * rows_.d);
    });
  }
  void set_trials(const std::size_t* at, std::size_t count) {
    n_trials_ = count;
    if (trials_.size() < count * rows_.d) trials_.reset(count * rows_.d);
    for (std::size_t t = 0; t < count; ++t) {
      const T* x = rows_.row(static_cast<std::size_t>(order_[at[t]])).x;
      for (std::size_t j = 0; j < rows_.d; ++j) trials_[t * rows_.d + j] = x[j] * scale_;
    }
  }
  void round(std::size_t lo, std::size_t hi, T* nearest, const T* winner, T* distances, double* potential) const {
    const SeedRows<T> kept{n, rows_.d, loops_.row_tile, tiles_.data(), w.data()};
    loops_.round(kept, lo, hi, trials_.data(), n_trials_, nearest, winner, distances, n_pad, potential);
  }

 private:
  const SeedLoops<T>& loops_ = SUREFIT_TABLE(kmeans_seed_loops);
  const PaddedRows<T>& rows_;
  const std::int64_t* order_;
  T scale_;
  Aligned<T> tiles_, trials_;
  std::size_t n_trials_ = 0;
};

// CSR: ‖x‖² − 2 x·c + ‖c‖², each product summed entry by entry in the same order, so that equal rows are at distance 0.
template <class T, class I>
class CsrRounds {
 public:
  std::size_t n, leaf, n_pad;
  Aligned<double> w;

  CsrRounds(const CsrRows<T, I>& rows, const SeedProblem& p, double scale)
      : n(p.n), leaf(p.leaf_rows), n_pad(p.n), w(p.n), rows_(rows), order_(p.order), scale_(static_cast<T>(scale)) {
    for (std::size_t i = 0; i < n; ++i) w[i] = p.w ? p.w[i] : 1.0;
  }
  void set_trials(const std::size_t* at, std::size_t count) {
    trials_.reset(count * rows_.d);
    trial_norm_.assign(count, 0.0);
    for (std::size_t t = 0; t < count; ++t) {
      const auto row = row_at(at[t]);
      for (std::size_t e = 0; e < row.count; ++e) {
        trials_[static_cast<std::size_t>(row.column[e]) * count + t] += row.x[e] * scale_;
      }
      trial_norm_[t] = sq_norm(row);
    }
  }
  void round(std::size_t lo, std::size_t hi, T* nearest, const T* winner, T* distances, double* potential) const {
    const std::size_t n_trials = trial_norm_.size();
    std::vector<double> dot(n_trials);
    std::fill_n(potential, n_trials, 0.0);
    for (std::size_t at = lo; at < hi; ++at) {
      if (winner && winner[at] < nearest[at]) nearest[at] = winner[at];
      const auto row = row_at(at);
      std::fill(dot.begin(), dot.end(), 0.0);
      for (std::size_t e = 0; e < row.count; ++e) {
        const double v = row.x[e] * scale_;
        const T* column = trials_.data() + static_cast<std::size_t>(row.column[e]) * n_trials;
        for (std::size_t t = 0; t < n_trials; ++t) dot[t] += v * column[t];
      }
      const double norm = sq_norm(row);
      for (std::size_t t = 0; t < n_trials; ++t) {
        const T sq = static_cast<T>(std::max(0.0, (norm - dot[t]) + (trial_norm_[t] - dot[t])));
        distances[t * n_pad + at] = sq;
        potential[t] += w[at] * std::min(sq, nearest[at]);
      }
    }
  }

 private:
  CsrRow<T, I> row_at(std::size_t position) const {
    return rows_.row(static_cast<std::size_t>(order_[position]));
  }
  double sq_norm(const CsrRow<T, I>& row) const {
    double sum = 0;
    for (std::size_t e = 0; e < row.count; ++e) {
      const double v = row.x[e] * scale_;
      sum += v * v;
    }
    return sum;
  }

  const CsrRows<T, I>& rows_;
  const std::int64_t* order_;
  T scale_;
  Aligned<T> trials_;  // (d, n_trials)
  std::vector<double> trial_norm_;
};

}  // namespace surefit::kmeans
