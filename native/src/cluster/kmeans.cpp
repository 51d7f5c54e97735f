// The Lloyd pass over a block: leaves by themselves (kmeans_leaf.cpp), merged in the fixed tree.
#include "cluster/kmeans.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>

#include "cluster/kmeans_bounds.hpp"
#include "cluster/kmeans_nodes.hpp"
#include "surefit/fold.hpp"

namespace surefit::kmeans {
namespace {

constexpr std::size_t kPad = 16;        // rows of centers and sums are padded to this many values
constexpr std::size_t kFirstLook = 8;   // centers from which double rows are first scored in single precision
constexpr std::size_t kFewCenters = 4;  // up to which rows are scored without turning them

std::size_t round_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

template <class T>
void check(const Problem<T>& p, std::size_t n, std::size_t d) {
  if (n == 0 || d == 0) throw std::invalid_argument("k-means needs at least one row and one column");
  if (p.k == 0) throw std::invalid_argument("k-means needs at least one center");
  if (p.k > std::size_t{1} << 30) throw std::invalid_argument("too many centers");
  if (p.leaf_rows > std::size_t{1} << 30 || !std::has_single_bit(p.leaf_rows)) {
    throw std::invalid_argument("leaf_rows must be a power of two");
  }
  if (!(p.scale > 0) || !(p.scale < std::numeric_limits<double>::infinity())) {
    throw std::invalid_argument("scale must be positive");
  }
}

// The centers as the loops want them, and the memory they are in.
template <class T>
struct CenterStore {
  Aligned<T> own, packed, offset, shift, differences, difference_offset;
  Aligned<float> single, single_offset;
  Aligned<double> own_sq_norm;
  Centers<T> centers{};

  template <class Loops>
  CenterStore(const Problem<T>& p, std::size_t d, const Loops& loops, bool first_look) {
    const std::size_t stride = round_up(d, kPad), k_pad = round_up(p.k, loops.center_block);
    own.reset(p.k * stride);
    packed.reset(k_pad * d, false);
    offset.reset(k_pad);
    shift.reset(stride);
    own_sq_norm.reset(p.k);
    for (std::size_t j = 0; j < d && p.shift; ++j) shift[j] = static_cast<T>(p.shift[j] * p.scale);
    centers = {p.k, d, stride, own.data(), shift.data(), own_sq_norm.data(), {}, {}, {}, static_cast<T>(p.scale), T(0)};
    centers.packed = {k_pad, packed.data(), offset.data(), T(0)};
    if (first_look) {
      single.reset(k_pad * d, false);
      single_offset.reset(k_pad);
      centers.single = {k_pad, single.data(), single_offset.data(), 0.0f};
    }
    if (p.k > 1 && p.k <= kFewCenters && d >= loops.shortest_direct) {
      differences.reset((p.k - 1) * stride);
      difference_offset.reset(p.k - 1);
      centers.differences = {differences.data(), difference_offset.data()};
    }
    loops.pack(p.centers, centers);
  }
};

// What one thread needs to work on a leaf of at most `rows` rows.
template <class T>
struct LeafSpace {
  Aligned<T> tile;
  Aligned<float> single_tile;
  Aligned<std::int32_t> list, unsure, start;
  Aligned<double> sq_dist;
  Work<T> work;

  LeafSpace(const Centers<T>& c, std::size_t row_tile, std::size_t rows, bool distances) {
    tile.reset(c.d * row_tile);
    list.reset(rows + 1, false);
    start.reset(c.k + 1, false);
    if (c.single.values) {
      single_tile.reset(c.d * row_tile * 2);
      unsure.reset(rows + 1, false);
    }
    if (distances) sq_dist.reset(rows, false);
    work = {tile.data(), single_tile.data(), unsure.data(), list.data(), start.data(), sq_dist.data()};
  }
};

void write(const Node& all, std::size_t k, std::size_t d, std::size_t stride, Statistic& out) {
  out.weight.assign(all.weight, all.weight + k);
  out.sums.resize(k * d);
  for (std::size_t c = 0; c < k; ++c) std::copy_n(all.sums + c * stride, d, out.sums.data() + c * d);
  out.inertia = all.inertia;
  out.fingerprint = all.fingerprint;
}

}  // namespace

template <class X>
void lloyd_pass(const X& rows, const Problem<typename X::Scalar>& p, Scratch* scratch, std::int32_t* label,
                double* sq_dist, Statistic* out) {
  using T = typename X::Scalar;
  const std::size_t n = rows.n, d = rows.d, k = p.k;
  check(p, n, d);
  const LeafLoops<X>& loops = SUREFIT_TABLE(kmeans_leaf_loops);
  const CenterStore<T> store(p, d, loops, !X::sparse && sizeof(T) == sizeof(double) && k >= kFirstLook);
  const Centers<T>& centers = store.centers;

  std::optional<KeptBounds<T>> kept;
  Aligned<std::int32_t> own_labels;
  if (scratch) {
    kept.emplace(p, n, d, *scratch);
    label = scratch->label.data();
  } else if (!label) {
    own_labels.reset(n, false);
    label = own_labels.data();
  }
  const Bounds<T>* bounds = kept ? kept->bounds() : nullptr;

  const auto work = static_cast<double>(rows.entries()) * static_cast<double>(k);
  const int n_threads = threads_for(work * kVectorNs, p.n_threads);
  Nodes nodes(k, k * centers.stride, X::sparse ? 1 : centers.stride);
  PerThread<LeafSpace<T>> spaces(n_threads);
  const bool update = out != nullptr;
  const NodePointer all = fold_leaves(
      n, p.leaf_rows, n_threads,
      [&](std::size_t lo, std::size_t hi, int thread) {
        LeafSpace<T>& space =
            spaces.of(thread, centers, loops.row_tile, std::min(n, p.leaf_rows), bounds || sq_dist);
        NodePointer node = update ? nodes.take() : nullptr;
        Node nothing{};
        const LeafTask<T> leaf{lo, hi, p.first_row, p.w, label, sq_dist, bounds, update};
        loops.leaf(rows, centers, leaf, space.work, update ? node->node : nothing);
        return node;
      },
      [&](NodePointer& left, NodePointer& right) {
        if (update) nodes.merge(left->node, std::move(right));
      });
  if (update) write(all->node, k, d, centers.stride, *out);
  if (kept) kept->close(out);
}

template <class T>
PaddedRows<T> padded_rows(const DenseRows<T>& rows, Aligned<T>& tail) {
  const std::size_t n = rows.n, d = rows.d, stride = round_up(d, kPad);
  std::size_t from = n;
  if (stride > d) from = n * d >= stride ? (n * d - stride) / d + 1 : 0;
  tail.reset((n - from + 1) * stride);
  for (std::size_t i = from; i < n; ++i) std::copy_n(rows.row(i).x, d, tail.data() + (i - from) * stride);
  return {rows, stride, tail.data(), from};
}

#define SUREFIT_LLOYD(R)                                                                                       \
  template void lloyd_pass(const R&, const Problem<R::Scalar>&, Scratch*, std::int32_t*, double*, Statistic*);
SUREFIT_LLOYD(PaddedRows<float>)
SUREFIT_LLOYD(PaddedRows<double>)
SUREFIT_EACH_CSR(SUREFIT_LLOYD)
template PaddedRows<float> padded_rows(const DenseRows<float>&, Aligned<float>&);
template PaddedRows<double> padded_rows(const DenseRows<double>&, Aligned<double>&);

}  // namespace surefit::kmeans
