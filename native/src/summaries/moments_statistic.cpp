#include "moments_statistic.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include "surefit/compensated.hpp"
#include "surefit/parallel.hpp"

namespace surefit::moments {

const Loops& loops() { return SUREFIT_TABLE(moments_loops); }

Shape::Shape(std::size_t columns) : n_columns(columns), width(loops().width) {
  if (columns > (std::size_t{1} << 29)) throw std::bad_alloc();  // products beyond any address space
  n_panels = (columns + width - 1) / width;
  padded = n_panels * width;
  n_products = n_panels * (n_panels + 1) / 2 * width * width;
}

Statistic Store::take() {
  {
    std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      Aligned<double> numbers = std::move(free_.back());
      free_.pop_back();
      return {0, std::move(numbers)};
    }
  }
  Statistic fresh;
  fresh.numbers.reset(2 * shape_.padded + shape_.n_products, false);
  return fresh;
}

void Store::give_back(Statistic&& statistic) {
  std::lock_guard lock(mutex_);
  free_.push_back(std::move(statistic.numbers));
}

// With δ = m_right - m_left and u = δ √(W_left · (W_right / W)):  S = (S_left + S_right) + u uᵀ.
void merge(const Shape& shape, Statistic& left, Statistic& right, bool exact,
                   int n_threads) {
  if (right.weight == 0) return;
  if (left.weight == 0) {
    std::swap(left, right);
    return;
  }
  const double weight = left.weight + right.weight, share = right.weight / weight;
  const double scale = std::sqrt(left.weight * share);
  double *mean = left.mean(), *u = right.mean();
  if (exact) {
    double *low = left.low(shape), *other = right.low(shape);
    for (std::size_t j = 0; j < shape.padded; ++j) {
      u[j] = merge_mean(mean[j], low[j], u[j], other[j], share) * scale;
    }
  } else {
    for (std::size_t j = 0; j < shape.padded; ++j) {
      const double step = u[j] - mean[j];
      mean[j] = mean[j] + step * share;
      u[j] = step * scale;
    }
  }
  const std::size_t width = shape.width, area = width * width;
  const auto merge_panel = [&](std::size_t q, int) {
    double* to = left.blocks(shape) + q * (q + 1) / 2 * area;
    const double* from = right.blocks(shape) + q * (q + 1) / 2 * area;
    for (std::size_t i = 0; i <= q; ++i) {
      for (std::size_t c = 0; c < width; ++c, to += width, from += width) {
        const double uc = u[q * width + c];
        for (std::size_t r = 0; r < width; ++r) to[r] = (to[r] + from[r]) + u[i * width + r] * uc;
      }
    }
  };
  parallel_for(shape.n_panels, n_threads, merge_panel);
  left.weight = weight;
}

void write(const Shape& shape, Statistic& statistic, double* mean, double* low,
                   double* products) {
  const std::size_t p = shape.n_columns, width = shape.width;
  if (statistic.weight == 0) {
    std::fill_n(mean, p, 0.0);
    if (low) std::fill_n(low, p, 0.0);
    std::fill_n(products, p * p, 0.0);
    return;
  }
  std::copy_n(statistic.mean(), p, mean);
  if (low) std::copy_n(statistic.low(shape), p, low);
  const double* block = statistic.blocks(shape);
  for (std::size_t q = 0; q < shape.n_panels; ++q) {
    for (std::size_t i = 0; i <= q; ++i, block += width * width) {
      const std::size_t n_r = std::min(width, p - i * width), n_c = std::min(width, p - q * width);
      for (std::size_t c = 0; c < n_c; ++c) {
        const std::size_t col = q * width + c, n_upper = i == q ? c + 1 : n_r;
        for (std::size_t r = 0; r < n_upper; ++r) {
          const std::size_t row = i * width + r;
          products[row * p + col] = products[col * p + row] = block[c * width + r];
        }
      }
    }
  }
}

}  // namespace surefit::moments
