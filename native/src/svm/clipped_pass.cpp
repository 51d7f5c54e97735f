#include "clipped_pass.hpp"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <vector>

#include "surefit/fold.hpp"

namespace surefit::clipped {
namespace {

// Rows whose features stay in the second-level cache while they are used twice.
std::size_t chunk_rows(std::size_t d, std::size_t bytes) {
  const std::size_t rows = 196608 / (d * bytes + 1);
  return rows < 16 ? 16 : rows > 512 ? 512 : rows / 4 * 4;
}

// What one thread works in.
struct Workspace {
  std::vector<double> scores;
};

using Sums = std::unique_ptr<double[]>;

}  // namespace

template <class T>
void pass(const Problem<T>& problem, std::size_t leaf_rows, int n_threads, double* slack, double* residual,
          double* sums) {
  const Loops& loops = SUREFIT_TABLE(clipped_loops);
  const std::size_t d = problem.x.d, m = problem.m, size = d + 1, chunk = chunk_rows(d, sizeof(T));
  const std::size_t padded = (d + loops.lanes - 1) / loops.lanes * loops.lanes;
  std::vector<double> coef(m * padded);
  for (std::size_t p = 0; p < m; ++p) std::copy_n(problem.coef + p * d, d, coef.data() + p * padded);
  n_threads = threads_for(static_cast<double>(problem.x.n) * static_cast<double>(d + 8) * 0.25 * kScalarNs, n_threads);
  PerThread<Workspace> spaces(n_threads);
  const Sums all = fold_leaves(
      problem.x.n, leaf_rows, n_threads,
      [&](std::size_t lo, std::size_t hi, int thread) {
        Sums leaf(new double[size]());
        Workspace& space = spaces.of(thread);
        space.scores.resize(chunk * m);
        const Leaf<T> work{{problem.x.row(lo).x, hi - lo, d},
                           problem.sign + lo,
                           problem.shift ? problem.shift + lo : nullptr,
                           problem.slope + lo,
                           problem.top ? problem.top + lo : nullptr,
                           coef.data(),
                           problem.intercept,
                           m,
                           padded,
                           space.scores.data(),
                           chunk,
                           slack + lo * m,
                           residual + lo,
                           leaf.get()};
        if constexpr (std::is_same_v<T, double>) {
          loops.f64(work);
        } else {
          loops.f32(work);
        }
        return leaf;
      },
      [size](Sums& left, Sums& right) {
        for (std::size_t j = 0; j < size; ++j) left[j] += right[j];
      });
  std::copy_n(all.get(), size, sums);
}

template void pass(const Problem<float>&, std::size_t, int, double*, double*, double*);
template void pass(const Problem<double>&, std::size_t, int, double*, double*, double*);

}  // namespace surefit::clipped
