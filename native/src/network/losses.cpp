#include "network/losses.hpp"

#include <algorithm>
#include <cmath>

#include "network/layer_loops.hpp"
#include "surefit/compensated.hpp"

namespace surefit::network {
namespace {

// With t = max z of the row: log Σ eᶻ⁻ᵗ − (z − t)·y, as targets add up to one.
template <class T>
void softmax(T* z, const T* y, std::size_t n, std::size_t c, double* losses) {
  for (std::size_t i = 0; i < n; ++i) {
    T* row = z + i * c;
    const T top = *std::max_element(row, row + c);
    T score = 0;
    for (std::size_t j = 0; j < c; ++j) {
      row[j] -= top;
      score += row[j] * y[i * c + j];
    }
    losses[i] = -static_cast<double>(score);
  }
  loops<T>().exponential(z, n * c);
  for (std::size_t i = 0; i < n; ++i) {
    T* row = z + i * c;
    T total = 0;
    for (std::size_t j = 0; j < c; ++j) total += row[j];
    for (std::size_t j = 0; j < c; ++j) row[j] = row[j] / total - y[i * c + j];
    losses[i] += std::log(static_cast<double>(total));
  }
}

// The loss of one score, which becomes its slope.
template <class T>
T one(Loss loss, T& z, T y) {
  const T given = z;
  if (loss == Loss::squared_error) {
    z -= y;
    return z * z / 2;
  }
  if (loss == Loss::logistic) {
    const T e = std::exp(-std::fabs(given));
    z = (given < 0 ? e : T(1)) / (1 + e) - y;
    return std::max(given, T(0)) + std::log1p(e) - y * given;
  }
  const T mean = std::exp(given);
  z = mean - y;
  return mean - y * given + (y > 0 ? y * std::log(y) : T(0)) - y;
}

}  // namespace

template <class T>
double loss_slopes(Loss loss, T* z, const T* y, const double* weights, std::size_t n, std::size_t c) {
  if (c == 0) return 0;
  double sum = 0, low = 0;  // low: what rounding took from the sum
  constexpr std::size_t kRows = 64;
  double losses[kRows];
  for (std::size_t first = 0; first < n; first += kRows, z += kRows * c, y += kRows * c) {
    const std::size_t rows = std::min(kRows, n - first);
    if (loss == Loss::softmax) {
      softmax(z, y, rows, c, losses);
    } else {
      for (std::size_t i = 0; i < rows; ++i) {
        losses[i] = 0;
        for (std::size_t j = 0; j < c; ++j) losses[i] += static_cast<double>(one(loss, z[i * c + j], y[i * c + j]));
      }
    }
    for (std::size_t i = 0; i < rows; ++i) {
      const double weight = weights == nullptr ? 1.0 : weights[first + i];
      low += two_sum(sum, weight * losses[i]);
      if (weights == nullptr) continue;
      for (std::size_t j = 0; j < c; ++j) z[i * c + j] *= static_cast<T>(weight);
    }
  }
  return std::isfinite(sum) ? sum + low : sum;
}

template double loss_slopes(Loss, float*, const float*, const double*, std::size_t, std::size_t);
template double loss_slopes(Loss, double*, const double*, const double*, std::size_t, std::size_t);

}  // namespace surefit::network
