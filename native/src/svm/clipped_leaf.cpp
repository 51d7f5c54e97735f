// One leaf, chunk by chunk: while a chunk of rows is in cache its scores are taken, and the rows are summed.
#include "clipped_leaf.hpp"

#include "linear_model/score_tiles.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using clipped::Leaf;
using clipped::Loops;

// Scores become σ r.
template <class T>
void residuals(const Leaf<T>& leaf, std::size_t first, std::size_t n) {
  const std::size_t m = leaf.m;
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = first + k;
    const double sign = leaf.sign[i];
    for (std::size_t p = 0; p < m; ++p) leaf.slack[i * m + p] = 1 - sign * leaf.scores[k * m + p];
    const double t = (leaf.shift ? leaf.shift[i] : 0.0) + leaf.slope[i] * leaf.slack[i * m];
    const double r = t > 0 ? (leaf.top && t > leaf.top[i] ? leaf.top[i] : t) : 0.0;
    leaf.residual[i] = r;
    leaf.scores[k * m] = sign * r;
    leaf.sums[leaf.x.d] += sign * r;
  }
}

template <class T>
void whole_leaf(const Leaf<T>& leaf) {
  for (std::size_t first = 0; first < leaf.x.n; first += leaf.chunk_rows) {
    const std::size_t n = leaf.x.n - first < leaf.chunk_rows ? leaf.x.n - first : leaf.chunk_rows;
    const T* x = leaf.x.row(first).x;
    scores<double, T>(x, n, leaf.x.d, leaf.m, leaf.coef, leaf.padded, leaf.intercept, leaf.scores);
    residuals(leaf, first, n);
    gradient_classes<1, true, double, T>(x, leaf.x.d, leaf.scores, leaf.m, n, leaf.sums);
  }
}

}  // namespace

extern const Loops clipped_loops;
const Loops clipped_loops{kLanes<double>, whole_leaf<float>, whole_leaf<double>};

}  // namespace surefit::SUREFIT_LEVEL
