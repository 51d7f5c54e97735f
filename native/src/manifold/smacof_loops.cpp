// The pairs of some rows, several at a time.
#include "manifold/smacof.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace surefit::SUREFIT_LEVEL {
namespace {

using namespace smacof;
using V = Vec<double>;
constexpr std::size_t kLane = kLanes<double>;

inline V root(V v) {
#if defined(SUREFIT_LEVEL_v4)
  return reinterpret_cast<V>(_mm512_sqrt_pd(reinterpret_cast<__m512d>(v)));
#elif defined(SUREFIT_LEVEL_v3)
  return reinterpret_cast<V>(_mm256_sqrt_pd(reinterpret_cast<__m256d>(v)));
#elif defined(__SSE2__)
  return reinterpret_cast<V>(_mm_sqrt_pd(reinterpret_cast<__m128d>(v)));
#else
  for (std::size_t l = 0; l < kLane; ++l) v[l] = __builtin_sqrt(v[l]);
  return v;
#endif
}

// The first `count` lanes of p, zeros behind them.
inline V load_some(const double* p, std::size_t count) {
  double lanes[kLane] = {};
  std::memcpy(lanes, p, count * sizeof(double));
  return load(lanes);
}
inline void store_some(double* p, V v, std::size_t count) { std::memcpy(p, &v, count * sizeof(double)); }

inline double lane_sum(V v) {
  double sum = 0;
  for (std::size_t l = 0; l < kLane; ++l) sum += v[l];
  return sum;
}

// P columns known when compiled; 0: pairs.p of them.
template <int P, bool whole>
inline void some_pairs(const Pairs& pairs, const double* xi, std::size_t j, std::size_t at, std::size_t count, V* own,
                       double* g, V& stress, V& sq_dist) {
  const std::size_t p = P ? P : pairs.p, n = pairs.n;
  const auto get = [count](const double* from) { return whole ? load(from) : load_some(from, count); };
  const auto put = [count](double* to, V v) { whole ? store(to, v) : store_some(to, v, count); };
  V sq = {};
  for (std::size_t c = 0; c < p; ++c) {
    const V gap = splat(xi[c]) - get(pairs.x + c * n + j);
    sq += gap * gap;
  }
  V w = splat(1.0);
  if (pairs.w) w = get(pairs.w + at);
  if constexpr (!whole) {  // lanes behind the last pair count for nothing
    for (std::size_t l = count; l < kLane; ++l) w[l] = 0, sq[l] = 1;
  }
  const V dist = root(sq), delta = get(pairs.delta + at), gone = delta - dist;
  stress += w * gone * gone;
  sq_dist += w * sq;
  if (pairs.d) put(pairs.d + at, dist);
  const V none = {};
  const V pull = dist > none ? w * delta / dist : none;
  for (std::size_t c = 0; c < p; ++c) {
    const V part = pull * (splat(xi[c]) - get(pairs.x + c * n + j));
    own[c] += part;
    put(g + c * n + j, get(g + c * n + j) - part);
  }
}

template <int P>
Sums rows_of(const Pairs& pairs, std::size_t first, std::size_t last, double* g) {
  constexpr std::size_t kMost = P ? P : kMostColumns;
  const std::size_t p = P ? P : pairs.p, n = pairs.n;
  V stress = {}, sq_dist = {};
  for (std::size_t i = first; i < last; ++i) {
    double xi[kMost];
    V own[kMost];
    for (std::size_t c = 0; c < p; ++c) xi[c] = pairs.x[c * n + i], own[c] = V{};
    std::size_t j = i + 1, at = row_start(n, i);
    for (; j + kLane <= n; j += kLane, at += kLane) {
      some_pairs<P, true>(pairs, xi, j, at, kLane, own, g, stress, sq_dist);
    }
    if (j < n) some_pairs<P, false>(pairs, xi, j, at, n - j, own, g, stress, sq_dist);
    for (std::size_t c = 0; c < p; ++c) g[c * n + i] += lane_sum(own[c]);
  }
  return {lane_sum(stress), lane_sum(sq_dist)};
}

Sums rows(const Pairs& pairs, std::size_t first, std::size_t last, double* g) {
  switch (pairs.p) {
    case 1: return rows_of<1>(pairs, first, last, g);
    case 2: return rows_of<2>(pairs, first, last, g);
    case 3: return rows_of<3>(pairs, first, last, g);
    default: return rows_of<0>(pairs, first, last, g);
  }
}

}  // namespace

extern const smacof::Loops smacof_loops;
const smacof::Loops smacof_loops{rows};

}  // namespace surefit::SUREFIT_LEVEL
