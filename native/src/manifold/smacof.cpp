#include "manifold/smacof.hpp"

#include <algorithm>
#include <vector>

#include "surefit/fold.hpp"

namespace surefit::smacof {
namespace {

constexpr std::size_t kTasks = 32, kFewestRows = 16;
constexpr double kPairNs = 2;

// Rows at which runs begin, so that each has about as many pairs; depends on n alone.
std::vector<std::size_t> runs(std::size_t n) {
  const std::size_t most = std::max<std::size_t>(1, std::min(kTasks, n / kFewestRows));
  const std::size_t pairs = n * (n - 1) / 2;
  std::vector<std::size_t> starts{0};
  for (std::size_t i = 1; i < n && starts.size() < most; ++i) {
    if (row_start(n, i) >= pairs / most * starts.size()) starts.push_back(i);
  }
  starts.push_back(n);
  return starts;
}

}  // namespace

Sums look(const double* x, std::size_t n, std::size_t p, const double* delta, const double* w, double* d, int n_threads,
          double* g) {
  std::vector<double> columns(n * p);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < p; ++c) columns[c * n + i] = x[i * p + c];
  }
  const Pairs pairs{columns.data(), n, p, delta, w, d};
  const std::vector<std::size_t> starts = runs(n);
  const std::size_t n_runs = starts.size() - 1;
  std::vector<double> sums(n_runs * n * p), stress(n_runs), sq_dist(n_runs);
  const int threads = threads_for(kPairNs * static_cast<double>(n) * static_cast<double>(n) / 2, n_threads);
  const auto& loops = SUREFIT_TABLE(smacof_loops);
  parallel_for(n_runs, threads, [&](std::size_t run, int) {
    const Sums part = loops.rows(pairs, starts[run], starts[run + 1], sums.data() + run * n * p);
    stress[run] = part.stress;
    sq_dist[run] = part.sq_dist;
  });
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < p; ++c) {
      double sum = 0;
      for (std::size_t run = 0; run < n_runs; ++run) sum += sums[run * n * p + c * n + i];
      g[i * p + c] = sum;
    }
  }
  return {tree_sum(stress.data(), n_runs), tree_sum(sq_dist.data(), n_runs)};
}

}  // namespace surefit::smacof
