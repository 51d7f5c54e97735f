// Plain loops over the features of a row, which the compiler turns into vectors. The sums of a class are one row of
// n_features numbers, so that rows of any class stream past tables that stay in the first-level cache.
#include "class_loops.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using class_statistics::Loops;
template <class T>
using Rows = LabelledRows<DenseRows<T>>;

template <class T>
bool is_not_finite(T x) {
  if constexpr (T(0.5) == T(0)) {
    return false;
  } else {
    return !(x * T(0) == T(0));
  }
}

template <class T>
bool sums(const Rows<T>& rows, double* __restrict sums) {
  const std::size_t d = rows.x.d;
  unsigned below = 0;
  for (std::size_t i = 0; i < rows.x.n; ++i) {
    const T* __restrict x = rows.x.x + i * d;
    double* __restrict to = sums + static_cast<std::size_t>(rows.classes[i]) * d;
    unsigned here = 0;
    if (rows.w) {
      const double w = rows.w[i];
      for (std::size_t j = 0; j < d; ++j) {
        to[j] += w * static_cast<double>(x[j]);
        here |= x[j] < T(0);
      }
    } else {
      for (std::size_t j = 0; j < d; ++j) {
        to[j] += static_cast<double>(x[j]);
        here |= x[j] < T(0);
      }
    }
    below |= here;
  }
  return below != 0;
}

template <class T>
bool counts(const Rows<T>& rows, double threshold, double* __restrict sums) {
  const std::size_t d = rows.x.d;
  unsigned broken = 0;
  for (std::size_t i = 0; i < rows.x.n; ++i) {
    const T* __restrict x = rows.x.x + i * d;
    double* __restrict to = sums + static_cast<std::size_t>(rows.classes[i]) * d;
    const double w = rows.weight(i);
    unsigned here = 0;
    for (std::size_t j = 0; j < d; ++j) {
      to[j] += static_cast<double>(x[j]) > threshold ? w : 0.0;
      here |= is_not_finite(x[j]);
    }
    broken |= here;
  }
  return broken != 0;
}

template <class T>
void deviations(const Rows<T>& rows, const double* __restrict means, double* __restrict shift,
                double* __restrict squares) {
  const std::size_t d = rows.x.d;
  for (std::size_t i = 0; i < rows.x.n; ++i) {
    const T* __restrict x = rows.x.x + i * d;
    const std::size_t at = static_cast<std::size_t>(rows.classes[i]) * d;
    const double* __restrict mean = means + at;
    double *__restrict e = shift + at, *__restrict q = squares + at;
    const double w = rows.weight(i);
    for (std::size_t j = 0; j < d; ++j) {
      const double step = static_cast<double>(x[j]) - mean[j], weighted = w * step;
      e[j] += weighted;
      q[j] += weighted * step;
    }
  }
}

template <class T>
bool range(const DenseRows<T>& rows, T* __restrict lowest, T* __restrict highest) {
  const std::size_t d = rows.d;
  const T* x = rows.x;
  unsigned broken = 0;
  for (std::size_t i = 0; i < rows.n; ++i, x += d) {
    unsigned here = 0;
    for (std::size_t j = 0; j < d; ++j) {
      lowest[j] = x[j] < lowest[j] ? x[j] : lowest[j];
      highest[j] = x[j] > highest[j] ? x[j] : highest[j];
      here |= is_not_finite(x[j]);
    }
    broken |= here;
  }
  return broken != 0;
}

template <class T>
constexpr Loops<T> kLoops{sums<T>, counts<T>, deviations<T>, range<T>};

}  // namespace

extern const class_statistics::LoopsOfAll class_loops;
const class_statistics::LoopsOfAll class_loops{kLoops<float>, kLoops<double>, kLoops<std::int32_t>,
                                               kLoops<std::int64_t>};

}  // namespace surefit::SUREFIT_LEVEL
