#include "logistic.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "surefit/fold.hpp"

namespace surefit::logistic {
namespace {

// Rows whose features stay in the second-level cache while they are used twice.
std::size_t chunk_rows(std::size_t d, std::size_t bytes) {
  const std::size_t rows = 196608 / (d * bytes + 1);
  return rows < 16 ? 16 : rows > 512 ? 512 : rows / 4 * 4;
}

// Coefficients in the type of the arithmetic, rows padded with zeros to whole vectors.
template <class A>
std::vector<A> padded_coef(const double* coef, const Shape& shape, std::size_t padded) {
  std::vector<A> out(shape.m * padded);
  for (std::size_t k = 0; k < shape.m; ++k) {
    for (std::size_t j = 0; j < shape.d; ++j) out[k * padded + j] = static_cast<A>(coef[k * shape.d + j]);
  }
  return out;
}

// What one thread needs to work on leaves, in arithmetic of type A.
template <class A, class T>
class Worker {
 public:
  explicit Worker(const Problem<T>& problem) : problem_(problem), chunk_(chunk_rows(problem.x.d, sizeof(T))) {
    const std::size_t lanes = std::is_same_v<A, float> ? loops_.single_lanes : loops_.double_lanes;
    padded_ = (problem.x.d + lanes - 1) / lanes * lanes;
    coef_ = padded_coef<A>(problem.coef, problem.shape, padded_);
    scores_.resize(chunk_ * problem.shape.m);
  }

  // Rows [lo, hi); sums or row_curvature (of all rows) may be null.
  void run(std::size_t lo, std::size_t hi, double* sums, double* row_curvature) {
    const Leaf<T> leaf{{problem_.x.row(lo).x, hi - lo, problem_.x.d},
                       problem_.y ? problem_.y + lo : nullptr,
                       problem_.w ? problem_.w + lo : nullptr,
                       problem_.shape,
                       coef_.data(),
                       problem_.intercept,
                       padded_,
                       scores_.data(),
                       chunk_,
                       sums,
                       row_curvature ? row_curvature + lo : nullptr};
    if constexpr (std::is_same_v<T, double>) {
      loops_.double_f64(leaf);
    } else if constexpr (std::is_same_v<A, float>) {
      loops_.single_f32(leaf);
    } else {
      loops_.double_f32(leaf);
    }
  }

 private:
  const Loops& loops_ = SUREFIT_TABLE(logistic_loops);
  const Problem<T>& problem_;
  std::size_t chunk_, padded_;
  std::vector<A> coef_, scores_;
};

using Sums = std::unique_ptr<double[]>;

template <class A, class T>
void fold(const Problem<T>& problem, std::size_t leaf_rows, int n_threads, double* sums) {
  const Shape shape = problem.shape;
  const std::size_t size = shape.size();
  PerThread<Worker<A, T>> workers(n_threads);
  const Sums all = fold_leaves(
      problem.x.n, leaf_rows, n_threads,
      [&](std::size_t lo, std::size_t hi, int thread) {
        Sums leaf(new double[size]());
        leaf[2] = std::numeric_limits<double>::infinity();
        workers.of(thread, problem).run(lo, hi, leaf.get(), nullptr);
        return leaf;
      },
      [size](Sums& left, Sums& right) {
        left[0] += right[0];
        left[1] = std::max(left[1], right[1]);
        left[2] = std::min(left[2], right[2]);
        for (std::size_t j = 3; j < size; ++j) left[j] += right[j];
      });
  std::copy_n(all.get(), size, sums);
  double* J = sums + shape.curvature();
  if (!shape.curved) return;
  for (std::size_t k = 0; k < shape.m; ++k) {
    for (std::size_t l = 0; l < k; ++l) J[k * shape.m + l] = J[l * shape.m + k];
  }
}

template <class T>
int threads_of(const Problem<T>& problem, int n_threads) {
  const double per_row = static_cast<double>(problem.x.d * problem.shape.m + 1);
  return threads_for(static_cast<double>(problem.x.n) * per_row * kScalarNs, n_threads);
}

}  // namespace

template <class T>
void pass(const Problem<T>& problem, bool single, std::size_t leaf_rows, int n_threads, double* sums) {
  const double n_classes = problem.shape.m == 1 ? 2.0 : static_cast<double>(problem.shape.m);
  for (std::size_t i = 0; i < problem.x.n; ++i) {
    if (!(problem.y[i] >= 0 && problem.y[i] < n_classes)) {
      throw std::invalid_argument("y holds a code that is no class, in row " + std::to_string(i));
    }
  }
  n_threads = threads_of(problem, n_threads);
  if constexpr (std::is_same_v<T, float>) {
    if (single && problem.shape.m > 1) return fold<float, float>(problem, leaf_rows, n_threads, sums);
  }
  fold<double, T>(problem, leaf_rows, n_threads, sums);
}

template <class T>
void row_curvature(const Problem<T>& problem, std::size_t leaf_rows, int n_threads, double* curvature) {
  if (problem.shape.m != 1) throw std::invalid_argument("curvatures of rows are those of two classes");
  n_threads = threads_of(problem, n_threads);
  PerThread<Worker<double, T>> workers(n_threads);
  parallel_for(leaves_of(problem.x.n, leaf_rows), n_threads, [&](std::size_t i, int thread) {
    const std::size_t lo = i * leaf_rows, hi = lo + std::min(leaf_rows, problem.x.n - lo);
    workers.of(thread, problem).run(lo, hi, nullptr, curvature);
  });
}

#define SUREFIT_LOGISTIC(T)                                                           \
  template void pass(const Problem<T>&, bool, std::size_t, int, double*);             \
  template void row_curvature(const Problem<T>&, std::size_t, int, double*);
SUREFIT_LOGISTIC(float)
SUREFIT_LOGISTIC(double)

}  // namespace surefit::logistic
