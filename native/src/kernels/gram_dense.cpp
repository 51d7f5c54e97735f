// A tile of kernel values of dense rows: kRows rows of A against panels of B, whose rows lie side by side.
#include "kernels/gram_values.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using namespace gram;

// kRows × kVecs sums, kVecs numbers of the panel and one of a row fill the registers.
#if defined(SUREFIT_LEVEL_v4)
constexpr int kRows = 8, kVecs = 3;
#else
constexpr int kRows = 6, kVecs = 2;
#endif
template <class T>
constexpr int kPanel = kVecs * kLanes<T>;
constexpr std::size_t kDepth = 256;  // columns of one partial sum: rounding grows with these, not with d

struct Multiply {
  template <class V>
  static V add(V sum, V a, V b) {
    return sum + a * b;
  }
};
struct Absolute {
  template <class V>
  static V add(V sum, V a, V b) {
    const V gap = a - b;
    return sum + (gap < V{} ? -gap : gap);
  }
};
struct Chi2 {
  template <class V>
  static V add(V sum, V a, V b) {
    const V gap = a - b, total = a + b;
    return sum + gap * gap / (total == V{} ? V{} + 1 : total);  // numbers ≥ 0: both are zero
  }
};

// Rows first … of B as [column][row], zeros where there are no more.
template <class T>
void pack(const T* b, std::size_t d, std::size_t count, T* panel) {
  for (std::size_t l = 0; l < static_cast<std::size_t>(kPanel<T>); ++l) {
    if (l < count) {
      for (std::size_t j = 0; j < d; ++j) panel[j * kPanel<T> + l] = b[l * d + j];
    } else {
      for (std::size_t j = 0; j < d; ++j) panel[j * kPanel<T> + l] = 0;
    }
  }
}

template <class Add, class T>
inline void sums(const T* const* a, const T* panel, std::size_t d, Vec<T> (&total)[kRows][kVecs]) {
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kVecs; ++v) total[r][v] = Vec<T>{};
  }
  for (std::size_t lo = 0; lo < d; lo += kDepth) {
    const std::size_t hi = d - lo < kDepth ? d : lo + kDepth;
    Vec<T> sum[kRows][kVecs] = {};
    for (std::size_t j = lo; j < hi; ++j) {
      Vec<T> b[kVecs];
#pragma GCC unroll 4
      for (int v = 0; v < kVecs; ++v) b[v] = load(panel + j * kPanel<T> + v * kLanes<T>);
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {
        const Vec<T> x = splat(a[r][j]);
#pragma GCC unroll 4
        for (int v = 0; v < kVecs; ++v) sum[r][v] = Add::add(sum[r][v], x, b[v]);
      }
    }
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 4
      for (int v = 0; v < kVecs; ++v) total[r][v] += sum[r][v];
    }
  }
}

// Σ (a - b)² for one vector of the panel.
template <class T>
[[gnu::noinline]] Vec<T> by_differences(const T* a, const T* lanes, std::size_t d) {
  Vec<T> sum = Vec<T>{};
  for (std::size_t j = 0; j < d; ++j) {
    const Vec<T> gap = splat(a[j]) - load(lanes + j * kPanel<T>);
    sum += gap * gap;
  }
  return sum;
}

// Products become squared distances.
template <class T>
inline void distances(T a_sq, const T* b_sq, const T* a, const T* panel, std::size_t d, Vec<T>* x) {
  Vec<T> norms[kVecs];
  decltype(norms[0] > norms[0]) lost[kVecs], some{};
#pragma GCC unroll 4
  for (int v = 0; v < kVecs; ++v) {
    norms[v] = splat(a_sq) + load(b_sq + v * kLanes<T>);
    x[v] = norms[v] - (x[v] + x[v]);
    lost[v] = lost_digits<T>(x[v], norms[v]);
    some |= lost[v];
  }
  if (!any(some)) return;
  for (int v = 0; v < kVecs; ++v) x[v] = lost[v] ? by_differences<T>(a, panel + v * kLanes<T>, d) : x[v];
}

template <Pair pair, Finish finish, class Add, class T>
void tile_of(const Tile<DenseRows<T>>& t, const T* packed) {
  const std::size_t d = t.a.x.d;
  for (std::size_t i = t.first_a; i < t.end_a; i += kRows) {
    const std::size_t n_rows = t.end_a - i < static_cast<std::size_t>(kRows) ? t.end_a - i : kRows;
    const T* a[kRows];
    for (std::size_t r = 0; r < static_cast<std::size_t>(kRows); ++r) a[r] = t.a.x.x + (i + (r < n_rows ? r : 0)) * d;
    const T* panel = packed;
    for (std::size_t j = t.first_b; j < t.end_b; j += kPanel<T>, panel += d * kPanel<T>) {
      const std::size_t n_b = t.end_b - j < static_cast<std::size_t>(kPanel<T>) ? t.end_b - j : kPanel<T>;
      Vec<T> value[kRows][kVecs];
      sums<Add, T>(a, panel, d, value);
      T b_sq[kPanel<T>] = {};
      if constexpr (pair == Pair::sq_dist) std::memcpy(b_sq, t.b.sq + j, n_b * sizeof(T));
      for (std::size_t r = 0; r < n_rows; ++r) {
        Vec<T>* x = value[r];
        if constexpr (pair == Pair::sq_dist) distances<T>(t.a.sq[i + r], b_sq, a[r], panel, d, x);
#pragma GCC unroll 4
        for (int v = 0; v < kVecs; ++v) x[v] = finished<finish, T>(x[v], t.form);
        T* out = t.out + (i + r) * t.stride + j;
        if (n_b == static_cast<std::size_t>(kPanel<T>)) {
#pragma GCC unroll 4
          for (int v = 0; v < kVecs; ++v) store(out + v * kLanes<T>, x[v]);
        } else {
          std::memcpy(out, x, n_b * sizeof(T));
        }
      }
    }
  }
}

template <class T>
void tile(const Tile<DenseRows<T>>& t, T* packed) {
  const std::size_t d = t.a.x.d;
  T* panel = packed;
  for (std::size_t j = t.first_b; j < t.end_b; j += kPanel<T>, panel += d * kPanel<T>) {
    pack(t.b.x.x + j * d, d, t.end_b - j, panel);
  }
  const bool exponential = t.form.finish == Finish::exponential;
  switch (t.form.pair) {
    case Pair::product:
      if (t.form.finish == Finish::power) return tile_of<Pair::product, Finish::power, Multiply, T>(t, packed);
      return tile_of<Pair::product, Finish::none, Multiply, T>(t, packed);
    case Pair::sq_dist:
      if (exponential) return tile_of<Pair::sq_dist, Finish::exponential, Multiply, T>(t, packed);
      return tile_of<Pair::sq_dist, Finish::none, Multiply, T>(t, packed);
    case Pair::absolute:
      if (exponential) return tile_of<Pair::absolute, Finish::exponential, Absolute, T>(t, packed);
      return tile_of<Pair::absolute, Finish::none, Absolute, T>(t, packed);
    case Pair::chi2:
      if (exponential) return tile_of<Pair::chi2, Finish::exponential, Chi2, T>(t, packed);
      return tile_of<Pair::chi2, Finish::none, Chi2, T>(t, packed);
  }
}

}  // namespace

extern const gram::DenseLoops gram_dense_loops;
const gram::DenseLoops gram_dense_loops{kPanel<float>, kPanel<double>, tile<float>, tile<double>};

}  // namespace surefit::SUREFIT_LEVEL
