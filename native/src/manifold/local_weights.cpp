#include "manifold/local_weights.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "surefit/fold.hpp"

namespace surefit::local_weights {
namespace {

constexpr std::size_t kBlock = 64;  // queries of a task

struct Workspace {
  std::vector<double> gaps;  // k numbers for each column
  std::vector<double> gram;  // k x k
};

// The lower triangle of C C^T: column by column, a product of k numbers with themselves each.
void local_gram(const Problem& problem, std::size_t query, std::size_t k, Workspace& work) {
  const std::size_t d = problem.d;
  const double* q = problem.queries + query * d;
  const std::int64_t* neighbors = problem.indices + problem.indptr[query];
  work.gaps.resize(k * d);
  work.gram.assign(k * k, 0.0);
  for (std::size_t a = 0; a < k; ++a) {
    const double* x = problem.rows + static_cast<std::size_t>(neighbors[a]) * d;
    for (std::size_t c = 0; c < d; ++c) work.gaps[c * k + a] = x[c] - q[c];
  }
  for (std::size_t c = 0; c < d; ++c) {
    const double* gap = work.gaps.data() + c * k;
    for (std::size_t a = 0; a < k; ++a) {
      double* row = work.gram.data() + a * k;
      for (std::size_t b = 0; b <= a; ++b) row[b] += gap[a] * gap[b];
    }
  }
}

// G = L L^T in place of the lower triangle; false where G is not positive definite.
bool cholesky(double* g, std::size_t k) {
  for (std::size_t a = 0; a < k; ++a) {
    double* row = g + a * k;
    for (std::size_t b = 0; b <= a; ++b) {
      const double* other = g + b * k;
      double sum = row[b];
      for (std::size_t c = 0; c < b; ++c) sum -= row[c] * other[c];
      if (b < a) {
        row[b] = sum / other[b];
      } else if (sum > 0 && std::isfinite(sum)) {
        row[a] = std::sqrt(sum);
      } else {
        return false;
      }
    }
  }
  return true;
}

bool one(const Problem& problem, std::size_t query, Workspace& work, double* w) {
  const auto k = static_cast<std::size_t>(problem.indptr[query + 1] - problem.indptr[query]);
  if (k == 0) return true;
  local_gram(problem, query, k, work);
  double* g = work.gram.data();
  double trace = 0;
  for (std::size_t a = 0; a < k; ++a) trace += g[a * k + a];
  const double ridge = trace > 0 ? problem.reg * trace : problem.reg;
  for (std::size_t a = 0; a < k; ++a) g[a * k + a] += ridge;
  if (!cholesky(g, k)) return false;
  for (std::size_t a = 0; a < k; ++a) {
    double sum = 1;
    for (std::size_t b = 0; b < a; ++b) sum -= g[a * k + b] * w[b];
    w[a] = sum / g[a * k + a];
  }
  double total = 0;
  for (std::size_t a = k; a-- > 0;) {
    double sum = w[a];
    for (std::size_t b = a + 1; b < k; ++b) sum -= g[b * k + a] * w[b];
    w[a] = sum / g[a * k + a];
    total += w[a];
  }
  for (std::size_t a = 0; a < k; ++a) w[a] /= total;
  return std::isfinite(total) && total > 0;
}

}  // namespace

std::size_t solve(const Problem& problem, int n_threads, double* w) {
  const double neighbors = static_cast<double>(problem.indptr[problem.m]);
  const double k = neighbors / static_cast<double>(std::max<std::size_t>(problem.m, 1));
  const double work = neighbors * k * (static_cast<double>(problem.d) + k);
  const std::size_t n_blocks = leaves_of(problem.m, kBlock);
  std::vector<std::size_t> failed(n_blocks, problem.m);
  PerThread<Workspace> spaces(n_threads);
  parallel_for(n_blocks, threads_for(work, n_threads), [&](std::size_t block, int thread) {
    Workspace& space = spaces.of(thread);
    for (std::size_t i = block * kBlock; i < std::min(problem.m, (block + 1) * kBlock); ++i) {
      if (!one(problem, i, space, w + problem.indptr[i])) {
        failed[block] = i;
        return;
      }
    }
  });
  return n_blocks == 0 ? problem.m : *std::min_element(failed.begin(), failed.end());
}

}  // namespace surefit::local_weights
