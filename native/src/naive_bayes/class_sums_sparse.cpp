// Class sums of CSR rows. A table of all classes and features may be far larger than what a leaf holds (words in texts):
// then a leaf's sums are a sorted list of the cells it touches, and lists are merged in the same fixed tree. Adding a zero
// changes no bit, so lists and tables give the same sums.
#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "class_fold.hpp"

namespace surefit {
namespace {

constexpr double kSparser = 4;  // lists are used where a table has so many times the cells of an average leaf's entries

template <class T, class Index>
void check_sparse(const SparseClassRows<T, Index>& rows) {
  if (rows.indptr[0] != 0) throw std::invalid_argument("indptr does not start with 0");
  for (std::size_t i = 0; i < rows.n_rows; ++i) {
    if (rows.indptr[i + 1] < rows.indptr[i]) throw std::invalid_argument("indptr falls");
  }
  if (static_cast<std::size_t>(rows.indptr[rows.n_rows]) > rows.n_stored) {
    throw std::invalid_argument("indptr points beyond the stored entries");
  }
}

// touch(cell) is called for every entry, before it is added to sums.
template <class T, class Index, class Touch>
Seen sparse_leaf(const SparseClassRows<T, Index>& rows, const double* threshold, std::size_t lo, std::size_t hi,
                 double* sums, const Touch& touch) {
  Seen seen;
  for (std::size_t i = lo; i < hi; ++i) {
    const std::size_t first = static_cast<std::size_t>(rows.classes[i]) * rows.n_features;
    const double w = rows.w ? rows.w[i] : 1.0;
    const auto end = static_cast<std::size_t>(rows.indptr[i + 1]);
    for (auto e = static_cast<std::size_t>(rows.indptr[i]); e < end; ++e) {
      const Index j = rows.indices[e];
      if (j < 0 || static_cast<std::size_t>(j) >= rows.n_features) {
        throw std::invalid_argument("a column is out of range");
      }
      const double x = static_cast<double>(rows.data[e]);
      seen.negative |= x < 0;
      seen.not_finite |= !(x * 0 == 0);
      const std::size_t cell = first + static_cast<std::size_t>(j);
      touch(cell);
      sums[cell] += threshold ? (x > *threshold ? w : 0.0) : w * x;
    }
  }
  return seen;
}

// Cells in rising order, each with its sum.
struct CellList {
  std::vector<std::size_t> cells;
  std::vector<double> sums, weights;  // weights: of the classes
};

void merge_lists(CellList& left, const CellList& right) {
  CellList both;
  both.cells.reserve(left.cells.size() + right.cells.size());
  both.sums.reserve(left.cells.size() + right.cells.size());
  std::size_t a = 0, b = 0;
  while (a < left.cells.size() && b < right.cells.size()) {
    const std::size_t p = left.cells[a], q = right.cells[b];
    both.cells.push_back(p < q ? p : q);
    both.sums.push_back(p < q ? left.sums[a] : q < p ? right.sums[b] : left.sums[a] + right.sums[b]);
    a += p <= q;
    b += q <= p;
  }
  const auto rest = [&both](const CellList& from, std::size_t at) {
    const auto here = static_cast<std::ptrdiff_t>(at);
    both.cells.insert(both.cells.end(), from.cells.begin() + here, from.cells.end());
    both.sums.insert(both.sums.end(), from.sums.begin() + here, from.sums.end());
  };
  rest(left, a);
  rest(right, b);
  left.cells = std::move(both.cells);
  left.sums = std::move(both.sums);
  for (std::size_t c = 0; c < left.weights.size(); ++c) left.weights[c] += right.weights[c];
}

template <class T, class Index>
Seen sums_by_lists(const SparseClassRows<T, Index>& rows, const double* threshold, std::size_t leaf_rows, int n_threads,
                   double* weights, double* sums) {
  const std::size_t cells = rows.n_classes * rows.n_features, n_leaves = (rows.n_rows + leaf_rows - 1) / leaf_rows;
  SeenByAll seen;
  FoldTree<CellList, void (*)(CellList&, CellList&)> tree(
      n_leaves, [](CellList& left, CellList& right) { merge_lists(left, right); });
  struct Room {
    Table sums;
    std::vector<unsigned char> touched;
  };
  std::vector<Room> rooms(static_cast<std::size_t>(n_threads));
  parallel_for(n_leaves, n_threads, [&](std::size_t i, int thread) {
    Room& room = rooms[static_cast<std::size_t>(thread)];
    if (!room.sums) {
      room.sums.reset(new double[cells]());
      room.touched.resize(cells);
    }
    const std::size_t lo = i * leaf_rows, hi = std::min(rows.n_rows, lo + leaf_rows);
    CellList leaf;
    leaf.weights.resize(rows.n_classes);
    class_weights(rows, lo, hi, leaf.weights.data());
    seen.add(sparse_leaf(rows, threshold, lo, hi, room.sums.get(), [&](std::size_t cell) {
      if (!room.touched[cell]) leaf.cells.push_back(cell);
      room.touched[cell] = 1;
    }));
    std::sort(leaf.cells.begin(), leaf.cells.end());
    leaf.sums.reserve(leaf.cells.size());
    for (const std::size_t cell : leaf.cells) {
      leaf.sums.push_back(room.sums[cell]);
      room.sums[cell] = 0;
      room.touched[cell] = 0;
    }
    tree.add(i, std::move(leaf));
  });
  const CellList& all = tree.root();
  std::fill_n(sums, cells, 0.0);
  for (std::size_t k = 0; k < all.cells.size(); ++k) sums[all.cells[k]] = all.sums[k];
  std::copy(all.weights.begin(), all.weights.end(), weights);
  return seen.all();
}

}  // namespace

template <class T, class Index>
Seen class_sums(const SparseClassRows<T, Index>& rows, const double* threshold, std::size_t leaf_rows, int n_threads,
                double* weights, double* sums) {
  const std::size_t C = rows.n_classes, cells = C * rows.n_features;
  check_sparse(rows);
  n_threads = threads_for(static_cast<double>(rows.n_stored), n_threads);
  const double n_leaves = std::ceil(static_cast<double>(rows.n_rows) / static_cast<double>(leaf_rows));
  if (rows.n_rows > 0 && static_cast<double>(cells) * n_leaves > kSparser * static_cast<double>(rows.n_stored)) {
    return sums_by_lists(rows, threshold, leaf_rows, n_threads, weights, sums);
  }
  SeenByAll seen;
  Table all(new double[C + cells]);
  fold_sums(rows.n_rows, leaf_rows, n_threads, C + cells, all.get(),
            [&](std::size_t lo, std::size_t hi, double* table) {
              class_weights(rows, lo, hi, table);
              seen.add(sparse_leaf(rows, threshold, lo, hi, table + C, [](std::size_t) {}));
            });
  std::copy_n(all.get(), C, weights);
  std::copy_n(all.get() + C, cells, sums);
  return seen.all();
}

#define SUREFIT_SPARSE(T, Index)                                                                                      \
  template Seen class_sums(const SparseClassRows<T, Index>&, const double*, std::size_t, int, double*, double*);
SUREFIT_SPARSE(float, std::int32_t)
SUREFIT_SPARSE(float, std::int64_t)
SUREFIT_SPARSE(double, std::int32_t)
SUREFIT_SPARSE(double, std::int64_t)


}  // namespace surefit
