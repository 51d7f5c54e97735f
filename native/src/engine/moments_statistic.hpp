// The statistic of a run of leaves, and Chan's merge of two.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "moments_loops.hpp"

namespace surefit {

struct FreeDoubles {
  void operator()(double* p) const { std::free(p); }
};
using Doubles = std::unique_ptr<double[], FreeDoubles>;

// Aligned for any vector; not initialised.
Doubles allocate_doubles(std::size_t n);

const MomentsLoops& moments_loops();

struct MomentsShape {
  explicit MomentsShape(std::size_t n_columns);
  std::size_t n_columns, width, n_panels, padded;  // padded = n_panels · width
  std::size_t n_products;                          // all blocks i ≤ j
  std::size_t index(std::size_t i, std::size_t j) const {  // i ≤ j
    const std::size_t q = j / width;
    return ((q * (q + 1) / 2 + i / width) * width + j % width) * width + i % width;
  }
};

struct MomentsStatistic {
  double weight = 0;
  Doubles numbers;  // mean (padded), what rounding took from it (padded), then the blocks
  double* mean() { return numbers.get(); }
  double* low(const MomentsShape& shape) { return numbers.get() + shape.padded; }
  double* blocks(const MomentsShape& shape) { return numbers.get() + 2 * shape.padded; }
};

// Statistics that are no longer needed are used again: their pages are already there.
class MomentsStore {
 public:
  explicit MomentsStore(const MomentsShape& shape) : shape_(shape) {}
  MomentsStatistic take();
  void give_back(MomentsStatistic&& statistic);

 private:
  const MomentsShape& shape_;
  std::mutex mutex_;
  std::vector<Doubles> free_;
};

// left := left and right together. Operation by operation what surefit/engine/moments.py does in `combine`; without
// `exact` the means are the rounded ones, as in surefit/engine/class_moments.py.
void merge_moments(const MomentsShape& shape, MomentsStatistic& left, MomentsStatistic& right, bool exact, int n_threads);

// The user's arrays: mean (p), what rounding took from it (p, or null) and products (p × p, both halves).
void write_moments(const MomentsShape& shape, MomentsStatistic& statistic, double* mean, double* low, double* products);

}  // namespace surefit
