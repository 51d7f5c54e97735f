// Bounds on distances that last from pass to pass: upper ≥ distance of a row to its center, lower ≤ distance to every
// other. Centers that drift widen them by as much; rounding is always to the safe side.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cluster/kmeans.hpp"
#include "surefit/fold.hpp"

namespace surefit::kmeans {

constexpr double kNearby = 0.1;  // bounds pay once no center moves further than this share of a typical distance

// Whether what was kept is about these rows, this shift and as many centers.
template <class T>
bool fits(const Scratch& s, const Problem<T>& p, std::size_t n, std::size_t d) {
  if (s.item_size != sizeof(T) || s.label.size() != n || s.scale != p.scale) return false;
  if (s.seen && s.centers.size() != p.k * d) return false;
  for (std::size_t j = 0; j < d && s.seen; ++j) {
    if (s.shift[j] != (p.shift ? double(p.shift[j]) : 0.0)) return false;
  }
  return true;
}

// Opens a block's memory for a pass, and closes it.
template <class T>
class KeptBounds {
 public:
  KeptBounds(const Problem<T>& p, std::size_t n, std::size_t d, Scratch& scratch) : p_(p), d_(d), scratch_(scratch) {
    if (!fits(scratch, p, n, d)) {
      scratch = Scratch{};
      scratch.item_size = sizeof(T);
      scratch.label.assign(n, 0);
    }
    // Until the centers have slowed down every row would fail the test; with few numbers scoring is as cheap.
    if (!scratch.seen || p.k < 12 || p.k * d < 256) return;
    scratch.upper.resize(n * sizeof(T));
    scratch.lower.resize(n * sizeof(T));
    measure_drifts();
    used_ = bounds_.largest_drift < kNearby * std::sqrt(scratch.mean_sq_dist);
    if (bounds_.valid && used_) measure_gaps();
  }

  const Bounds<T>* bounds() const { return used_ ? &bounds_ : nullptr; }

  // `out`: null where the pass made no statistic; then the next one starts afresh.
  void close(const Statistic* out) {
    if (out) {
      double weight = 0;
      for (double v : out->weight) weight += v;
      scratch_.mean_sq_dist = weight > 0 ? out->inertia / weight : 0;
    }
    scratch_.centers.assign(p_.centers, p_.centers + p_.k * d_);
    scratch_.shift.assign(d_, 0.0);
    if (p_.shift) std::copy_n(p_.shift, d_, scratch_.shift.begin());
    scratch_.scale = p_.scale;
    scratch_.seen = out != nullptr;
    scratch_.valid = used_ && out != nullptr;
  }

 private:
  double sq_dist(const double* a, const double* b) const {
    double sq = 0;
    for (std::size_t j = 0; j < d_; ++j) {
      const double t = (a[j] - b[j]) * p_.scale;
      sq += t * t;
    }
    return sq;
  }

  void measure_drifts() {
    const T up = 1 + 16 * std::numeric_limits<T>::epsilon();
    drift_.assign(p_.k, T(0));
    nearest_.assign(p_.k, T(0));
    bounds_ = {reinterpret_cast<T*>(scratch_.upper.data()), reinterpret_cast<T*>(scratch_.lower.data()),
               drift_.data(), nearest_.data(), T(0), T(0), -1, scratch_.valid};
    for (std::size_t c = 0; c < p_.k; ++c) {
      const double sq = sq_dist(p_.centers + c * d_, scratch_.centers.data() + c * d_);
      drift_[c] = static_cast<T>(std::sqrt(sq)) * up + (sq > 0 ? std::numeric_limits<T>::min() : T(0));
      if (!(drift_[c] < std::numeric_limits<T>::infinity())) bounds_.valid = false;
      if (bounds_.fastest < 0 || drift_[c] > bounds_.largest_drift) {
        bounds_.second_drift = bounds_.largest_drift;
        bounds_.largest_drift = drift_[c];
        bounds_.fastest = static_cast<std::int32_t>(c);
      } else {
        bounds_.second_drift = std::max(bounds_.second_drift, drift_[c]);
      }
    }
  }

  // From each center to the closest other one.
  void measure_gaps() {
    const T down = 1 - 16 * std::numeric_limits<T>::epsilon();
    const auto work = static_cast<double>(p_.k * p_.k * d_);
    parallel_for(p_.k, threads_for(work * kVectorNs, p_.n_threads), [&](std::size_t a, int) {
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t b = 0; b < p_.k; ++b) {
        if (b != a) least = std::min(least, sq_dist(p_.centers + a * d_, p_.centers + b * d_));
      }
      const T gap = static_cast<T>(std::sqrt(least)) * down;
      nearest_[a] = gap < std::numeric_limits<T>::infinity() ? gap : T(0);
    });
  }

  const Problem<T>& p_;
  std::size_t d_;
  Scratch& scratch_;
  std::vector<T> drift_, nearest_;
  Bounds<T> bounds_{};
  bool used_ = false;
};

}  // namespace surefit::kmeans
