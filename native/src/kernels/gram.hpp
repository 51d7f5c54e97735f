// Blocks of kernel values: k(a, b) for every row a of A and every row b of B, in one pass.
//
//   v = Σ_j pair(a_j, b_j)         pair: a b, (a - b)^2, |a - b|, (a - b)^2 / (a + b)
//   k = finish(v)                  v, (gamma v + coef0)^degree, exp(-gamma v)
//
// Every sum runs over the columns in their order, whatever the place of the pair in the block: k(a, b) has the same bits
// as k(b, a), in every block and on any number of threads. Squared distances are |a|^2 + |b|^2 - 2 a.b; where that loses
// digits (less than kClose of the norms is left) they are summed again from the differences.
//
// Work: m n (2 d + about 30) operations; it reads (m + n) d numbers and writes m n.
#pragma once

#include <cstddef>

#include "surefit/rows.hpp"

namespace surefit::gram {

enum class Pair : int { product = 0, sq_dist = 1, absolute = 2, chi2 = 3 };
enum class Finish : int { none = 0, power = 1, exponential = 2 };

struct Form {
  Pair pair;
  Finish finish;
  double gamma, coef0;
  int degree;  // ≥ 0
};

template <class T>
constexpr T kClose = sizeof(T) == 8 ? T(1e-4) : T(1) / 64;

// What is needed of one side.
template <class X>
struct Side {
  X x;
  const typename X::Scalar* sq;  // squared norms; null where the form needs none
};

// k of the rows first_a … end_a - 1 of A and first_b … end_b - 1 of B, to out (row-major, `stride` numbers in a row).
template <class X>
struct Tile {
  Side<X> a, b;
  Form form;
  std::size_t first_a, end_a, first_b, end_b;
  typename X::Scalar* out;
  std::size_t stride;
};

// packed: space for packed_size(columns, d) numbers.
struct DenseLoops {
  std::size_t panel_f32, panel_f64;  // rows of B side by side in a panel
  void (*f32)(const Tile<DenseF32>&, float* packed);
  void (*f64)(const Tile<DenseF64>&, double* packed);
};

// A panel of B is the numbers of its columns, one line for each column that occurs, line 0 all zeros; slot[column] is the
// line (0: the column does not occur). slots: d zeros, which are left zeros. lines: enough for the entries of a panel.
template <class T>
struct SparseSpace {
  T* lines;
  int* slots;
};
struct SparseLoops {
  std::size_t panel_f32, panel_f64;
  void (*f32_i32)(const Tile<CsrF32I32>&, const SparseSpace<float>&);
  void (*f32_i64)(const Tile<CsrF32I64>&, const SparseSpace<float>&);
  void (*f64_i32)(const Tile<CsrF64I32>&, const SparseSpace<double>&);
  void (*f64_i64)(const Tile<CsrF64I64>&, const SparseSpace<double>&);
};

// out: (a.x.n, b.x.n), row-major. Of CSR rows only products and squared distances.
template <class X>
void block(const Side<X>& a, const Side<X>& b, const Form& form, int n_threads, typename X::Scalar* out);

}  // namespace surefit::gram

SUREFIT_TABLES(gram::DenseLoops, gram_dense_loops)
SUREFIT_TABLES(gram::SparseLoops, gram_sparse_loops)
