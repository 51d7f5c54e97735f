// A tile of kernel values of CSR rows: one row of A against a panel of B, whose columns that occur are written out.
#include "kernels/gram_values.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using namespace gram;

constexpr int kVecs = 4;  // sums that run side by side
template <class T>
constexpr int kPanel = kVecs * kLanes<T>;

// Columns of a row rise (the intake sees to it): the entries of two rows are met in one walk.
template <class T, class Index>
T by_differences(const CsrRow<T, Index>& a, const CsrRow<T, Index>& b) {
  double sum = 0;
  std::size_t i = 0, j = 0;
  while (i < a.count || j < b.count) {
    double gap;
    if (j == b.count || (i < a.count && a.column[i] < b.column[j])) {
      gap = static_cast<double>(a.x[i++]);
    } else if (i == a.count || b.column[j] < a.column[i]) {
      gap = static_cast<double>(b.x[j++]);
    } else {
      gap = static_cast<double>(a.x[i++]) - static_cast<double>(b.x[j++]);
    }
    sum += gap * gap;
  }
  return static_cast<T>(sum);
}

template <class X>
struct Panel {
  using T = typename X::Scalar;
  const Tile<X>& t;
  const SparseSpace<T>& space;
  std::size_t first, count;

  void fill() const {
    int used = 0;
    clear_line(0);
    for (std::size_t l = 0; l < count; ++l) {
      const auto row = t.b.x.row(first + l);
      for (std::size_t e = 0; e < row.count; ++e) {
        int& slot = space.slots[row.column[e]];
        if (slot == 0) {
          slot = ++used;
          clear_line(slot);
        }
        space.lines[static_cast<std::size_t>(slot) * kPanel<T> + l] += row.x[e];
      }
    }
  }
  void clear_line(int line) const {
    for (int v = 0; v < kVecs; ++v) {
      store(space.lines + static_cast<std::size_t>(line) * kPanel<T> + v * kLanes<T>, Vec<T>{});
    }
  }
  void forget() const {
    for (std::size_t l = 0; l < count; ++l) {
      const auto row = t.b.x.row(first + l);
      for (std::size_t e = 0; e < row.count; ++e) space.slots[row.column[e]] = 0;
    }
  }
};

template <class X>
inline void dots(const Panel<X>& panel, std::size_t i, Vec<typename X::Scalar> (&sum)[kVecs]) {
  using T = typename X::Scalar;
  for (int v = 0; v < kVecs; ++v) sum[v] = Vec<T>{};
  const auto row = panel.t.a.x.row(i);
  for (std::size_t e = 0; e < row.count; ++e) {
    const T* line = panel.space.lines + static_cast<std::size_t>(panel.space.slots[row.column[e]]) * kPanel<T>;
    const Vec<T> x = splat(row.x[e]);
#pragma GCC unroll 4
    for (int v = 0; v < kVecs; ++v) sum[v] += x * load(line + v * kLanes<T>);
  }
}

template <Pair pair, Finish finish, class X>
void tile_of(const Tile<X>& t, const SparseSpace<typename X::Scalar>& space) {
  using T = typename X::Scalar;
  for (std::size_t j = t.first_b; j < t.end_b; j += kPanel<T>) {
    const std::size_t n_b = t.end_b - j < static_cast<std::size_t>(kPanel<T>) ? t.end_b - j : kPanel<T>;
    const Panel<X> panel{t, space, j, n_b};
    panel.fill();
    T b_sq[kPanel<T>] = {};
    if constexpr (pair == Pair::sq_dist) std::memcpy(b_sq, t.b.sq + j, n_b * sizeof(T));
    for (std::size_t i = t.first_a; i < t.end_a; ++i) {
      Vec<T> sum[kVecs];
      dots(panel, i, sum);
      T k[kPanel<T>];
      for (int v = 0; v < kVecs; ++v) {
        if constexpr (pair == Pair::sq_dist) {
          const Vec<T> norms = splat(t.a.sq[i]) + load(b_sq + v * kLanes<T>);
          sum[v] = norms - (sum[v] + sum[v]);
          const auto lost = lost_digits<T>(sum[v], norms);
          for (std::size_t l = 0; any(lost) && l < static_cast<std::size_t>(kLanes<T>); ++l) {
            const std::size_t place = static_cast<std::size_t>(v) * kLanes<T> + l;
            if (lost[l] && place < n_b) sum[v][l] = by_differences(t.a.x.row(i), t.b.x.row(j + place));
          }
        }
        store(k + v * kLanes<T>, finished<finish, T>(sum[v], t.form));
      }
      std::memcpy(t.out + i * t.stride + j, k, n_b * sizeof(T));
    }
    panel.forget();
  }
}

template <class X>
void tile(const Tile<X>& t, const SparseSpace<typename X::Scalar>& space) {
  if (t.form.pair == Pair::product) {
    if (t.form.finish == Finish::power) return tile_of<Pair::product, Finish::power>(t, space);
    return tile_of<Pair::product, Finish::none>(t, space);
  }
  if (t.form.finish == Finish::exponential) return tile_of<Pair::sq_dist, Finish::exponential>(t, space);
  tile_of<Pair::sq_dist, Finish::none>(t, space);
}

}  // namespace

extern const gram::SparseLoops gram_sparse_loops;
const gram::SparseLoops gram_sparse_loops{kPanel<float>,   kPanel<double>,  tile<CsrF32I32>,
                                          tile<CsrF32I64>, tile<CsrF64I32>, tile<CsrF64I64>};

}  // namespace surefit::SUREFIT_LEVEL
