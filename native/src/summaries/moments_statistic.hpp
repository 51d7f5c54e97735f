// The statistic of a run of leaves, and Chan's merge of two.
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "moments_loops.hpp"
#include "surefit/aligned.hpp"

namespace surefit::moments {

const Loops& loops();

struct Shape {
  explicit Shape(std::size_t n_columns);
  std::size_t n_columns, width, n_panels, padded;  // padded = n_panels · width
  std::size_t n_products;                          // all blocks i ≤ j
  std::size_t index(std::size_t i, std::size_t j) const {  // i ≤ j
    const std::size_t q = j / width;
    return ((q * (q + 1) / 2 + i / width) * width + j % width) * width + i % width;
  }
};

struct Statistic {
  double weight = 0;
  Aligned<double> numbers;  // mean (padded), what rounding took from it (padded), then the blocks
  double* mean() { return numbers.data(); }
  double* low(const Shape& shape) { return numbers.data() + shape.padded; }
  double* blocks(const Shape& shape) { return numbers.data() + 2 * shape.padded; }
};

// Statistics that are no longer needed are used again: their pages are already there.
class Store {
 public:
  explicit Store(const Shape& shape) : shape_(shape) {}
  Statistic take();
  void give_back(Statistic&& statistic);

 private:
  const Shape& shape_;
  std::mutex mutex_;
  std::vector<Aligned<double>> free_;
};

// left := left and right together. Operation by operation what surefit/summaries/moments.py does in `combine`; without
// `exact` the means are the rounded ones, as in surefit/summaries/class_moments.py.
void merge(const Shape& shape, Statistic& left, Statistic& right, bool exact, int n_threads);

// The user's arrays: mean (p), what rounding took from it (p, or null) and products (p × p, both halves).
void write(const Shape& shape, Statistic& statistic, double* mean, double* low, double* products);

}  // namespace surefit::moments
