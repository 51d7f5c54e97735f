#include "search/leaf_loops.hpp"

#include "simd/lane_bits.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using namespace search;
using V = Vec<double>;
constexpr int kWide = kLanes<double>;
constexpr int kVecs = static_cast<int>(kLeafRows) / kWide;
constexpr int kPart = kVecs < 8 ? kVecs : 8;  // sums that stay in registers

// a > b ? a : b
inline V larger(V a, V b) {
#if defined(SUREFIT_LEVEL_v4)
  return _mm512_maskz_max_pd(0xff, a, b);
#elif defined(SUREFIT_LEVEL_v3)
  return _mm256_max_pd(a, b);
#else
  return a > b ? a : b;
#endif
}

inline V size_of(V gap) { return larger(gap, -gap); }

inline V power(V size, double p) {
  V out;
  for (int l = 0; l < kWide; ++l) out[l] = __builtin_pow(size[l], p);
  return out;
}

template <Order order, bool weighted>
inline V with(V sum, V gap, const Form& form, std::size_t j) {
  if constexpr (order == Order::infinity) {
    return larger(size_of(gap), sum);
  } else {
    V term;
    if constexpr (order == Order::two) term = gap * gap;
    if constexpr (order == Order::one) term = size_of(gap);
    if constexpr (order == Order::power) term = power(size_of(gap), form.p);
    if constexpr (weighted) term *= splat(form.weights[j]);
    return sum + term;
  }
}

template <Order order, bool weighted>
std::uint32_t rows_of(const Form& form, const double* row, const double* leaf, std::size_t d, double limit,
                      double* raw) {
  std::uint32_t mask = 0;
  for (int part = 0; part < kVecs; part += kPart) {
    V sum[kPart] = {};
    for (std::size_t j = 0; j < d; ++j) {
      const V x = splat(row[j]);
      const double* values = leaf + j * kLeafRows + part * kWide;
#pragma GCC unroll 8
      for (int v = 0; v < kPart; ++v) sum[v] = with<order, weighted>(sum[v], x - load(values + v * kWide), form, j);
    }
#pragma GCC unroll 8
    for (int v = 0; v < kPart; ++v) {
      store(raw + (part + v) * kWide, sum[v]);
      mask |= bits_of<double>(sum[v] <= splat(limit)) << ((part + v) * kWide);
    }
  }
  return mask;
}

template <Order order, bool weighted>
std::uint32_t nearest_of(const Form& form, const double* queries, const double* low, const double* high,
                         std::size_t d, const double* limits, double* raw) {
  std::uint32_t mask = 0;
  for (int part = 0; part < kVecs; part += kPart) {
    V sum[kPart] = {};
    for (std::size_t j = 0; j < d; ++j) {
      const V lo = splat(low[j]), hi = splat(high[j]);
      const double* values = queries + j * kLeafRows + part * kWide;
#pragma GCC unroll 8
      for (int v = 0; v < kPart; ++v) {
        const V x = load(values + v * kWide), under = lo - x, over = x - hi;
        sum[v] = with<order, weighted>(sum[v], larger(larger(under, over), V{}), form, j);
      }
    }
#pragma GCC unroll 8
    for (int v = 0; v < kPart; ++v) {
      const int at = (part + v) * kWide;
      if constexpr (order == Order::power) sum[v] *= 1 - kPowerSlack;
      store(raw + at, sum[v]);
      mask |= bits_of<double>(sum[v] <= load(limits + at)) << at;
    }
  }
  return mask;
}

template <Order order, bool weighted>
std::uint32_t farthest_of(const Form& form, const double* queries, const double* low, const double* high,
                          std::size_t d, double limit, double* raw) {
  std::uint32_t mask = 0;
  for (int v = 0; v < kVecs; ++v) {
    V sum = {};
    for (std::size_t j = 0; j < d; ++j) {
      const V x = load(queries + j * kLeafRows + v * kWide);
      const V under = size_of(x - splat(low[j])), over = size_of(x - splat(high[j]));
      sum = with<order, weighted>(sum, larger(under, over), form, j);
    }
    if constexpr (order == Order::power) sum *= 1 + kPowerSlack;
    store(raw + v * kWide, sum);
    mask |= bits_of<double>(sum <= splat(limit)) << (v * kWide);
  }
  return mask;
}

std::uint32_t below(const double* bounds, const double* limits) {
  std::uint32_t mask = 0;
  for (int v = 0; v < kVecs; ++v) {
    mask |= bits_of<double>(load(bounds + v * kWide) <= load(limits + v * kWide)) << (v * kWide);
  }
  return mask;
}

#define SUREFIT_BY_FORM(function, ...)                                                                  \
  switch (form.order) {                                                                                 \
    case Order::two:                                                                                    \
      return form.weights ? function<Order::two, true>(__VA_ARGS__) : function<Order::two, false>(__VA_ARGS__); \
    case Order::one:                                                                                    \
      return form.weights ? function<Order::one, true>(__VA_ARGS__) : function<Order::one, false>(__VA_ARGS__); \
    case Order::infinity:                                                                               \
      return function<Order::infinity, false>(__VA_ARGS__);                                             \
    default:                                                                                            \
      return form.weights ? function<Order::power, true>(__VA_ARGS__) : function<Order::power, false>(__VA_ARGS__); \
  }

std::uint32_t rows(const Form& form, const double* row, const double* leaf, std::size_t d, double limit, double* raw) {
  SUREFIT_BY_FORM(rows_of, form, row, leaf, d, limit, raw)
}
std::uint32_t nearest(const Form& form, const double* queries, const double* low, const double* high, std::size_t d,
                      const double* limits, double* raw) {
  SUREFIT_BY_FORM(nearest_of, form, queries, low, high, d, limits, raw)
}
std::uint32_t farthest(const Form& form, const double* queries, const double* low, const double* high, std::size_t d,
                       double limit, double* raw) {
  SUREFIT_BY_FORM(farthest_of, form, queries, low, high, d, limit, raw)
}
#undef SUREFIT_BY_FORM

}  // namespace

extern const search::LeafLoops search_leaf_loops;
const search::LeafLoops search_leaf_loops{rows, nearest, farthest, below};

}  // namespace surefit::SUREFIT_LEVEL
