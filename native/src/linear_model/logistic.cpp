#include "logistic.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/fold_tree.hpp"
#include "surefit/parallel.hpp"
#include "surefit/simd.hpp"

namespace surefit {
namespace {

// Below this many multiplications starting threads costs more than it saves.
constexpr double kSerialWork = 2e5;

const LogisticLoops& loops() {
#ifdef SUREFIT_X86_LEVELS
  if (level() == Level::v4) return v4::logistic_loops;
  if (level() == Level::v3) return v3::logistic_loops;
#endif
  return baseline::logistic_loops;
}

// Coefficients in the type of the arithmetic, rows padded with zeros to whole vectors.
template <class A>
std::vector<A> padded_coef(const double* coef, const LogisticShape& shape, std::size_t padded) {
  std::vector<A> out(shape.m * padded);
  for (std::size_t k = 0; k < shape.m; ++k) {
    for (std::size_t j = 0; j < shape.d; ++j) out[k * padded + j] = static_cast<A>(coef[k * shape.d + j]);
  }
  return out;
}

template <class A, class T>
class Worker {
 public:
  Worker(const LogisticRows<T>& rows, std::size_t leaf_rows)
      : rows_(rows), leaf_rows_(leaf_rows), chunk_(logistic_chunk_rows(rows.shape.d, sizeof(T))) {
    const std::size_t lanes = std::is_same_v<A, float> ? loops().single_lanes : loops().double_lanes;
    padded_ = (rows.shape.d + lanes - 1) / lanes * lanes;
    coef_ = padded_coef<A>(rows.coef, rows.shape, padded_);
    scores_.resize(chunk_ * rows.shape.m);
  }

  void run(std::size_t i, double* sums, double* row_curvature) {
    const std::size_t lo = i * leaf_rows_, hi = std::min(rows_.n_rows, lo + leaf_rows_);
    const LogisticLeaf<T> leaf{rows_.x + lo * rows_.shape.d,
                               rows_.y ? rows_.y + lo : nullptr,
                               rows_.w ? rows_.w + lo : nullptr,
                               hi - lo,
                               rows_.shape,
                               coef_.data(),
                               rows_.intercept,
                               padded_,
                               scores_.data(),
                               chunk_,
                               sums,
                               row_curvature ? row_curvature + lo : nullptr};
    if constexpr (std::is_same_v<T, double>) {
      loops().double_f64(leaf);
    } else if constexpr (std::is_same_v<A, float>) {
      loops().single_f32(leaf);
    } else {
      loops().double_f32(leaf);
    }
  }

 private:
  const LogisticRows<T>& rows_;
  std::size_t leaf_rows_, chunk_, padded_;
  std::vector<A> coef_, scores_;
};

using Sums = std::unique_ptr<double[]>;

template <class A, class T>
void pass(const LogisticRows<T>& rows, std::size_t leaf_rows, int n_threads, double* sums) {
  const LogisticShape shape = rows.shape;
  const std::size_t size = shape.size(), n_leaves = (rows.n_rows + leaf_rows - 1) / leaf_rows;
  FoldTree<Sums, std::function<void(Sums&, Sums&)>> tree(n_leaves, [&](Sums& left, Sums& right) {
    left[0] += right[0];
    left[1] = std::max(left[1], right[1]);
    left[2] = std::min(left[2], right[2]);
    for (std::size_t j = 3; j < size; ++j) left[j] += right[j];
  });
  std::vector<std::unique_ptr<Worker<A, T>>> workers(static_cast<std::size_t>(n_threads));
  parallel_for(n_leaves, n_threads, [&](std::size_t i, int thread) {
    auto& worker = workers[static_cast<std::size_t>(thread)];
    if (!worker) worker = std::make_unique<Worker<A, T>>(rows, leaf_rows);
    Sums leaf(new double[size]());
    leaf[2] = std::numeric_limits<double>::infinity();
    worker->run(i, leaf.get(), nullptr);
    tree.add(i, std::move(leaf));
  });
  std::copy_n(tree.root().get(), size, sums);
  double* J = sums + shape.curvature();
  if (!shape.curved) return;
  for (std::size_t k = 0; k < shape.m; ++k) {
    for (std::size_t l = 0; l < k; ++l) J[k * shape.m + l] = J[l * shape.m + k];
  }
}

template <class T>
int threads_for(const LogisticRows<T>& rows, int n_threads) {
  const double work = static_cast<double>(rows.n_rows) * static_cast<double>(rows.shape.d * rows.shape.m + 1);
  return work < kSerialWork || n_threads < 1 ? 1 : n_threads;
}

}  // namespace

template <class T>
void logistic_pass(const LogisticRows<T>& rows, bool single, std::size_t leaf_rows, int n_threads, double* sums) {
  const double n_classes = rows.shape.m == 1 ? 2.0 : static_cast<double>(rows.shape.m);
  for (std::size_t i = 0; i < rows.n_rows; ++i) {
    if (!(rows.y[i] >= 0 && rows.y[i] < n_classes)) {
      throw std::invalid_argument("y holds a code that is no class, in row " + std::to_string(i));
    }
  }
  n_threads = threads_for(rows, n_threads);
  if constexpr (std::is_same_v<T, float>) {
    if (single && rows.shape.m > 1) return pass<float, float>(rows, leaf_rows, n_threads, sums);
  }
  pass<double, T>(rows, leaf_rows, n_threads, sums);
}

template <class T>
void logistic_curvature(const LogisticRows<T>& rows, std::size_t leaf_rows, int n_threads, double* curvature) {
  if (rows.shape.m != 1) throw std::invalid_argument("curvatures of rows are those of two classes");
  n_threads = threads_for(rows, n_threads);
  std::vector<std::unique_ptr<Worker<double, T>>> workers(static_cast<std::size_t>(n_threads));
  parallel_for((rows.n_rows + leaf_rows - 1) / leaf_rows, n_threads, [&](std::size_t i, int thread) {
    auto& worker = workers[static_cast<std::size_t>(thread)];
    if (!worker) worker = std::make_unique<Worker<double, T>>(rows, leaf_rows);
    worker->run(i, nullptr, curvature);
  });
}

template void logistic_pass(const LogisticRows<float>&, bool, std::size_t, int, double*);
template void logistic_pass(const LogisticRows<double>&, bool, std::size_t, int, double*);
template void logistic_curvature(const LogisticRows<float>&, std::size_t, int, double*);
template void logistic_curvature(const LogisticRows<double>&, std::size_t, int, double*);

}  // namespace surefit
