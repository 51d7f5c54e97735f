// One Lloyd pass over one leaf: nearest centers (kmeans_score.hpp), then the update sums (kmeans_update.hpp).
//
// A row may keep its label unseen when  lower² − upper² > slack · (upper + 2 max‖c'‖)², slack = 8 (d+8) ulp: then even
// rounding of the scores cannot change the outcome, so labels are the same with bounds and without.
#include "cluster/kmeans_score.hpp"
#include "cluster/kmeans_update.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using kmeans::LeafLoops;

template <class T>
void pack_common(const double* centers, Centers<T>& out) {
  const std::size_t k = out.k, d = out.d;
  double largest = 0;
  for (std::size_t c = 0; c < k; ++c) {
    double shifted = 0, own = 0;
    for (std::size_t j = 0; j < d; ++j) {
      const T m = static_cast<T>(centers[c * d + j] * out.scale);
      out.own[c * out.stride + j] = m;
      const T p = static_cast<T>(double(m) - double(out.shift[j]));
      shifted += double(p) * p;
      own += double(m) * m;
    }
    out.packed.offset[c] = static_cast<T>(-0.5 * shifted);
    out.own_sq_norm[c] = own;
    largest = shifted > largest ? shifted : largest;
  }
  for (std::size_t c = k; c < out.packed.k_pad; ++c) out.packed.offset[c] = -std::numeric_limits<T>::infinity();
  out.max_norm = static_cast<T>(std::sqrt(largest)) * (1 + 4 * kUlp<T>);
  out.packed.slack = 8 * static_cast<T>(d + 8) * kUlp<T>;
}

template <class T>
inline T shifted_value(const Centers<T>& c, std::size_t center, std::size_t j) {
  if (center >= c.k) return 0;
  return static_cast<T>(double(c.own[center * c.stride + j]) - double(c.shift[j]));
}

// With a = c − c₀ and b = c' + c₀':  ½(‖c'‖² − ‖c₀'‖²) = ½ a·b.
template <class T>
void pack_differences(Centers<T>& out) {
  for (std::size_t c = 1; c < out.k; ++c) {
    double half = 0;
    for (std::size_t j = 0; j < out.d; ++j) {
      const double own = out.own[c * out.stride + j], first = out.own[j];
      out.differences.values[(c - 1) * out.stride + j] = static_cast<T>(own - first);
      half += 0.5 * (own - first) * (own + first - 2 * double(out.shift[j]));
    }
    out.differences.offset[c - 1] = static_cast<T>(-half);
  }
}

template <class T>
void pack_dense(const double* centers, Centers<T>& out) {
  pack_common(centers, out);
  if (out.differences.values) pack_differences(out);
  T* p = out.packed.values;
  for (std::size_t block = 0; block < out.packed.k_pad; block += kCenterBlock) {
    for (std::size_t j = 0; j < out.d; ++j) {
      for (int b = 0; b < kCenterBlock; ++b) *p++ = shifted_value(out, block + b, j);
    }
  }
  // In single precision squares must stay well inside the range of float.
  if (out.single.values && !(out.max_norm > T(0x1p-40) && out.max_norm < T(0x1p40))) out.single.values = nullptr;
  if (!out.single.values) return;
  out.single.slack = 8 * static_cast<float>(out.d + 8) * kUlp<float>;
  for (std::size_t e = 0; e < out.packed.k_pad * out.d; ++e) {
    out.single.values[e] = static_cast<float>(out.packed.values[e]);
  }
  for (std::size_t c = 0; c < out.packed.k_pad; ++c) {
    out.single.offset[c] = static_cast<float>(out.packed.offset[c]);
  }
}

template <class T>
void pack_csr(const double* centers, Centers<T>& out) {
  pack_common(centers, out);
  for (std::size_t j = 0; j < out.d; ++j) {
    for (std::size_t c = 0; c < out.packed.k_pad; ++c) {
      out.packed.values[j * out.packed.k_pad + c] = shifted_value(out, c, j);
    }
  }
}

// Σ (label+1)·r(row) mod 2⁶⁴ with scrambled row numbers r: two passes that agree in it gave the same labels.
inline std::uint64_t fingerprint(const std::int32_t* label, std::uint64_t first_row, std::size_t count) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t r = (first_row + i + 1) * 0x9E3779B97F4A7C15u;
    r = (r ^ (r >> 29)) * 0xBF58476D1CE4E5B9u;
    sum += (r ^ (r >> 32)) * (static_cast<std::uint64_t>(label[i]) + 1);
  }
  return sum;
}

// Drops from the leaf the rows whose label cannot have changed; the rest is listed.
template <class T>
std::size_t doubtful_rows(const Centers<T>& c, const LeafTask<T>& task, std::int32_t* list) {
  const Bounds<T>& b = *task.bounds;
  const T keep = 1 - 4 * kUlp<T>;
  std::size_t count = 0;
  for (std::size_t i = task.lo; i < task.hi; ++i) {
    const std::int32_t own = task.label[i];
    const T upper = (b.upper[i] + b.drift[own]) * (1 + 4 * kUlp<T>);
    const T moved = (b.lower[i] - (own == b.fastest ? b.second_drift : b.largest_drift)) * keep;
    const T between = (b.nearest[own] - upper) * keep;
    const T lower = moved > between ? moved : between;
    b.lower[i] = lower;
    const T size = upper + 2 * c.max_norm;
    const bool safe = lower > upper && (lower - upper) * (lower + upper) > c.packed.slack * size * size;
    list[count] = static_cast<std::int32_t>(i - task.lo);
    count += !safe;
  }
  return count;
}

template <class Rows>
void leaf(const Rows& rows, const Centers<typename Rows::Scalar>& c, const LeafTask<typename Rows::Scalar>& task,
          Work<typename Rows::Scalar>& work, Node& node) {
  using T = typename Rows::Scalar;
  const std::size_t count = task.hi - task.lo;
  if (c.k == 1 && !task.bounds) {
    for (std::size_t i = task.lo; i < task.hi; ++i) task.label[i] = 0;
  } else if (!task.bounds) {
    score_rows<T, false>(rows, c, task, work, nullptr, count);
  } else if (!task.bounds->valid) {
    score_rows<T, true>(rows, c, task, work, nullptr, count);
  } else {
    const std::size_t doubtful = doubtful_rows(c, task, work.list);
    score_rows<T, true>(rows, c, task, work, work.list, doubtful);
  }
  if (!task.update) return;
  if (task.bounds || task.sq_dist) {
    update_rows<true>(rows, c, task, work, node);
  } else {
    update_rows<false>(rows, c, task, work, node);
  }
  node.fingerprint = fingerprint(task.label + task.lo, task.first_row + task.lo, count);
}

template <class T>
constexpr LeafLoops<PaddedRows<T>> kDense{kRowTile<T>, kCenterBlock, kLanes<T>, pack_dense<T>, leaf<PaddedRows<T>>};
template <class Csr, class T = typename Csr::Scalar>
constexpr LeafLoops<Csr> kCsr{kRowTile<T>, kLanes<T>, std::size_t(-1), pack_csr<T>, leaf<Csr>};

}  // namespace

extern const kmeans::LeafLoopsOfAll kmeans_leaf_loops;
const kmeans::LeafLoopsOfAll kmeans_leaf_loops{kDense<float>,   kDense<double>,  kCsr<CsrF32I32>,
                                               kCsr<CsrF32I64>, kCsr<CsrF64I32>, kCsr<CsrF64I64>};

}  // namespace surefit::SUREFIT_LEVEL
