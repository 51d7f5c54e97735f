// Deviations of a chunk of rows, and their products in register tiles.
//
// For rows z_k with weights w_k in a chunk of weight W_c, and a running mean m over weight W:
//   m_c = a + Σ w_k (z_k - a) / W_c                      a: the (rounded) running mean, or the first row. No large sums.
//   S  += Σ w_k (z_k - m_c)(z_k - m_c)ᵀ + W W_c / (W + W_c) (m_c - m)(m_c - m)ᵀ
// The last term is one more row of the same product, so the leaf is read from memory once.
#include "moments_loops.hpp"

#include "surefit/compensated.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using namespace moments;
using V = Vec<double>;
constexpr int kL = kLanes<double>;

// A tile is reach panels × one panel: 3 × 8 (24 × 8) on 32 vector registers of 8, 3 × 4 (12 × 4) on 16 registers of 4.
// With two lanes a panel is two vectors.
constexpr int kWidth = kL < 4 ? 4 : kL;
constexpr int kParts = kWidth / kL;
constexpr int kReach = kParts == 1 ? 3 : 1;

inline V load_double(const double* p) { return load(p); }
inline V load_double(const float* p) {
  typedef float Half __attribute__((vector_size(kVectorBytes / 2)));
  Half h;
  __builtin_memcpy(&h, p, sizeof h);
  return __builtin_convertvector(h, V);
}

// sums[j] += Σ_k w_k (x_k[j] - a[j]) over n_columns columns; four rows at a time, added in pairs.
template <bool weighted, class Row>
void shifted_sums(std::size_t n_rows, std::size_t n_columns, Row row, const double* w, const double* a,
                  double* sums) {
  std::size_t k = 0;
  for (; k + 4 <= n_rows; k += 4) {
    const auto *x0 = row(k), *x1 = row(k + 1), *x2 = row(k + 2), *x3 = row(k + 3);
    V w0{}, w1{}, w2{}, w3{};
    if constexpr (weighted) w0 = splat(w[k]), w1 = splat(w[k + 1]), w2 = splat(w[k + 2]), w3 = splat(w[k + 3]);
    for (std::size_t j = 0; j < n_columns; j += kL) {
      const V at = load(a + j);
      V d0 = load_double(x0 + j) - at, d1 = load_double(x1 + j) - at;
      V d2 = load_double(x2 + j) - at, d3 = load_double(x3 + j) - at;
      if constexpr (weighted) {
        d0 = d0 * w0 + d1 * w1;
        d2 = d2 * w2 + d3 * w3;
      } else {
        d0 = d0 + d1;
        d2 = d2 + d3;
      }
      store(sums + j, load(sums + j) + (d0 + d2));
    }
  }
  for (; k < n_rows; ++k) {
    const auto* x0 = row(k);
    for (std::size_t j = 0; j < n_columns; j += kL) {
      V d = load_double(x0 + j) - load(a + j);
      if constexpr (weighted) d = d * splat(w[k]);
      store(sums + j, load(sums + j) + d);
    }
  }
}

template <bool weighted, class Row>
void pack_rows(std::size_t n_rows, std::size_t n_panels, Row row, const double* sqrt_w, const double* mean,
               double* packed, std::size_t stride) {
  for (std::size_t k = 0; k < n_rows; ++k) {
    const auto* x = row(k);
    V s{};
    if constexpr (weighted) s = splat(sqrt_w[k]);
    double* to = packed + k * kWidth;
    for (std::size_t q = 0; q < n_panels; ++q, to += stride) {
      for (int v = 0; v < kParts; ++v) {
        const std::size_t j = q * kWidth + v * kL;
        V d = load_double(x + j) - load(mean + j);
        if constexpr (weighted) d = d * s;
        store(to + v * kL, d);
      }
    }
  }
}

template <bool weighted, class T>
std::size_t pack(const Chunk<T>& chunk, RunningMean& run) {
  const std::size_t n = chunk.n_rows, whole = chunk.n_whole * kWidth, rest = chunk.n_tail * kWidth;
  const std::size_t p = whole + rest;
  if (n == 0) return 0;
  const auto x_row = [&](std::size_t k) { return chunk.x[k]; };
  const auto tail_row = [&](std::size_t k) { return chunk.tail + k * rest; };

  const bool first = run.weight == 0;
  if (first) {
    for (std::size_t j = 0; j < whole; ++j) run.mean[j] = static_cast<double>(x_row(0)[j]);
    for (std::size_t j = 0; j < rest; ++j) run.mean[whole + j] = tail_row(0)[j];
  }
  double* sums = chunk.sums;
  for (std::size_t j = 0; j < p; ++j) sums[j] = 0;
  shifted_sums<weighted>(n, whole, x_row, chunk.w, run.mean, sums);
  shifted_sums<weighted>(n, rest, tail_row, chunk.w, run.mean + whole, sums + whole);

  double weight = static_cast<double>(n);
  if constexpr (weighted) {
    weight = 0;
    for (std::size_t k = 0; k < n; ++k) weight += chunk.w[k];
  }
  const double total = run.weight + weight;
  for (std::size_t j = 0; j < p; ++j) sums[j] = sums[j] / weight;  // m_c - a

  std::size_t n_packed = n;
  if (first) {
    for (std::size_t j = 0; j < p; ++j) {
      const double low = two_sum(run.mean[j], sums[j]);
      if (run.low) run.low[j] = low;
    }
    pack_rows<weighted>(n, chunk.n_whole, x_row, chunk.sqrt_w, run.mean, chunk.packed, chunk.stride);
    pack_rows<weighted>(n, chunk.n_tail, tail_row, chunk.sqrt_w, run.mean + whole,
                        chunk.packed + chunk.n_whole * chunk.stride, chunk.stride);
  } else {
    const double share = weight / total, scale = __builtin_sqrt(run.weight * share);
    for (std::size_t j = 0; j < p; ++j) {
      const double before = run.mean[j], low = run.low ? run.low[j] : 0, step = sums[j] - low;
      chunk.packed[j / kWidth * chunk.stride + n * kWidth + j % kWidth] = step * scale;
      sums[j] = before + sums[j];
      const double error = two_sum(run.mean[j], low + step * share);
      if (run.low) run.low[j] = error;
    }
    pack_rows<weighted>(n, chunk.n_whole, x_row, chunk.sqrt_w, sums, chunk.packed, chunk.stride);
    pack_rows<weighted>(n, chunk.n_tail, tail_row, chunk.sqrt_w, sums + whole,
                        chunk.packed + chunk.n_whole * chunk.stride, chunk.stride);
    ++n_packed;
  }
  run.weight = total;
  return n_packed;
}

template <class T>
std::size_t pack_any(const Chunk<T>& chunk, RunningMean& run) {
  return chunk.w ? pack<true>(chunk, run) : pack<false>(chunk, run);
}

// Blocks (i, j), (i + 1, j) … of n_long panels: the sums over the chunk stay in registers.
template <int n_long>
void tile(const double* a, std::size_t stride, const double* b, std::size_t n_rows, double* c, bool fresh,
          Ahead& ahead) {
  constexpr int n_vec = n_long * kParts;
  V sum[n_vec][kWidth] = {};
  for (std::size_t k = 0; k < n_rows; ++k, a += kWidth, b += kWidth) {
    if (k % kAheadEvery == 0) {
      for (std::size_t byte = 0; byte < ahead.step && ahead.at < ahead.end; byte += 64, ahead.at += 64) {
        __builtin_prefetch(ahead.at, 0, 2);
      }
    }
    V x[n_vec];
#pragma GCC unroll 8
    for (int v = 0; v < n_vec; ++v) x[v] = load(a + v / kParts * stride + v % kParts * kL);
#pragma GCC unroll 8
    for (int j = 0; j < kWidth; ++j) {
      const V y = splat(b[j]);
#pragma GCC unroll 8
      for (int v = 0; v < n_vec; ++v) sum[v][j] += x[v] * y;
    }
  }
#pragma GCC unroll 8
  for (int v = 0; v < n_vec; ++v) {
    double* block = c + v / kParts * kWidth * kWidth + v % kParts * kL;
#pragma GCC unroll 8
    for (int j = 0; j < kWidth; ++j) {
      double* to = block + j * kWidth;
      store(to, fresh ? sum[v][j] : load(to) + sum[v][j]);
    }
  }
}

void update(const double* packed, std::size_t stride, std::size_t n_rows, std::size_t n_panels, std::size_t first,
            double* blocks, bool fresh, Ahead ahead) {
  const double* a = packed + first * stride;
  for (std::size_t j = first; j < n_panels; ++j) {
    const double* b = packed + j * stride;
    double* c = blocks + (j * (j + 1) / 2 + first) * kWidth * kWidth;
    const std::size_t n_long = j - first + 1;  // near the diagonal only the upper blocks
    if (n_long >= kReach) {
      tile<kReach>(a, stride, b, n_rows, c, fresh, ahead);
    } else if (n_long == 2) {
      tile<2>(a, stride, b, n_rows, c, fresh, ahead);
    } else {
      tile<1>(a, stride, b, n_rows, c, fresh, ahead);
    }
  }
}

}  // namespace

extern const Loops moments_loops;
const Loops moments_loops{kWidth, kReach, pack_any<float>, pack_any<double>, update};

}  // namespace surefit::SUREFIT_LEVEL
