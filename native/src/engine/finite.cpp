// 0 · x is 0 for a finite x, and NaN for an infinite one or a NaN; a sum with a NaN in it is NaN.
#include "finite.hpp"

#include <atomic>

#include "surefit/parallel.hpp"

namespace surefit {
namespace {

constexpr std::size_t kTask = std::size_t{1} << 18;

template <class T>
bool finite_run(const T* x, std::size_t n) {
  T sums[32] = {};
  std::size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    for (int lane = 0; lane < 32; ++lane) sums[lane] += x[i + lane] * T{0};
  }
  T sum = 0;
  for (; i < n; ++i) sum += x[i] * T{0};
  for (const T lane : sums) sum += lane;
  return sum == T{0};
}

}  // namespace

template <class T>
bool all_finite(const T* x, std::size_t n, int n_threads) {
  std::atomic<bool> finite{true};
  parallel_for((n + kTask - 1) / kTask, n_threads, [&](std::size_t task, int) {
    const std::size_t first = task * kTask;
    if (finite && !finite_run(x + first, n - first < kTask ? n - first : kTask)) finite = false;
  });
  return finite;
}

template bool all_finite<float>(const float*, std::size_t, int);
template bool all_finite<double>(const double*, std::size_t, int);

}  // namespace surefit
