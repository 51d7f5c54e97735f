#include "products/symmetric.hpp"

#include <algorithm>

#include "products/product_loops.hpp"
#include "surefit/aligned.hpp"
#include "surefit/fold.hpp"

namespace surefit::products {
namespace {

constexpr std::size_t kBlock = 96;  // rows of C of one task: a multiple of all tiles

// What a thread works in: a packed panel, a diagonal block of A as a whole, and a block of C turned.
struct Workspace {
  Aligned<double> panel, corner, turned;
  Workspace(std::size_t wide, std::size_t columns)
      : panel(kDepth * wide), corner(kBlock * kBlock), turned(columns * kBlock) {}
};

struct Product {
  const double* a;
  std::size_t lda;
  const double* b;
  std::size_t ldb;
  double* c;
  std::size_t n, columns;
};

// With the rows of C from i on: before them A is to the left of its diagonal block; behind them it is below, turned.
//   C_i = A_i,<i B_<i + A_ii B_i + (B_>i^T A_>i,i)^T
void block(const Loops& loops, const Product& p, std::size_t i, Workspace& own) {
  const std::size_t wide = loops.double_columns, rows = std::min(kBlock, p.n - i), next = i + rows;
  double *panel = own.panel.data(), *corner = own.corner.data(), *turned = own.turned.data();
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t s = 0; s <= r; ++s) corner[r * rows + s] = corner[s * rows + r] = p.a[(i + r) * p.lda + i + s];
  }
  double* c = p.c + i * p.columns;
  const auto add = [&](std::size_t r, std::size_t first, std::size_t count, auto value) {
    for (std::size_t j = 0; j < count; ++j) c[r * p.columns + first + j] += value(j);
  };
  for (std::size_t j = 0; j < p.columns; j += wide) {
    const std::size_t some = std::min(wide, p.columns - j);
    loops.double_part({p.a + i * p.lda, p.lda, p.b + j, p.ldb, c + j, p.columns, rows, some, i, false, panel});
    loops.double_part({corner, rows, p.b + i * p.ldb + j, p.ldb, turned, wide, rows, some, rows, false, panel});
    for (std::size_t r = 0; r < rows; ++r) add(r, j, some, [&](std::size_t k) { return turned[r * wide + k]; });
  }
  for (std::size_t j = 0; j < rows; j += wide) {
    const std::size_t some = std::min(wide, rows - j);
    loops.double_part({p.b + next * p.ldb, p.ldb, p.a + next * p.lda + i + j, p.lda, turned + j, kBlock, p.columns,
                       some, p.n - next, true, panel});
  }
  for (std::size_t r = 0; r < rows; ++r) add(r, 0, p.columns, [&](std::size_t k) { return turned[k * kBlock + r]; });
}

}  // namespace

void multiply_symmetric(const double* a, std::size_t lda, const double* b, std::size_t ldb, double* c, std::size_t n,
                        std::size_t columns, int n_threads) {
  const Loops& loops = SUREFIT_TABLE(product_loops);
  const double work = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(columns) * kVectorNs;
  n_threads = threads_for(work, n_threads);
  PerThread<Workspace> own(n_threads);
  parallel_for((n + kBlock - 1) / kBlock, n_threads, [&](std::size_t i, int thread) {
    const std::size_t wide = loops.double_columns;
    block(loops, {a, lda, b, ldb, c, n, columns}, i * kBlock, own.of(thread, wide, std::max(columns, wide)));
  });
}

}  // namespace surefit::products
