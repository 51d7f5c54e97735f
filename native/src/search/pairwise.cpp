#include "search/pairwise.hpp"

#include <algorithm>
#include <limits>

#include "search/leaf_loops.hpp"
#include "surefit/aligned.hpp"
#include "surefit/fold.hpp"

namespace surefit::search {
namespace {

constexpr std::size_t kTaskRows = 256;

struct Space {
  explicit Space(std::size_t d) : leaf(d * kLeafRows), row(d), raw(kLeafRows) {}
  Aligned<double> leaf, row, raw;
};

}  // namespace

template <class T, class U>
void pairwise(const DenseRows<T>& a, const DenseRows<U>& b, const Form& form, int n_threads, double* out) {
  const std::size_t across = leaves_of(b.n, kLeafRows), down = leaves_of(a.n, kTaskRows), d = a.d;
  const double pairs = static_cast<double>(a.n) * static_cast<double>(b.n);
  n_threads = threads_for(pairs * (static_cast<double>(d) * 4 * kVectorNs + kScalarNs), n_threads);
  PerThread<Space> spaces(n_threads);
  const LeafLoops& loops = SUREFIT_TABLE(search_leaf_loops);
  parallel_for(across * down, n_threads, [&](std::size_t task, int thread) {
    Space& space = spaces.of(thread, d);
    const std::size_t first = task % across * kLeafRows, count = std::min(kLeafRows, b.n - first);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < d; ++j) space.leaf[j * kLeafRows + i] = static_cast<double>(b.x[(first + i) * d + j]);
    }
    const std::size_t from = task / across * kTaskRows, end = std::min(from + kTaskRows, a.n);
    for (std::size_t r = from; r < end; ++r) {
      for (std::size_t j = 0; j < d; ++j) space.row[j] = static_cast<double>(a.x[r * d + j]);
      loops.rows(form, space.row.data(), space.leaf.data(), d, std::numeric_limits<double>::infinity(), space.raw.data());
      for (std::size_t i = 0; i < count; ++i) out[r * b.n + first + i] = finished(form, space.raw[i]);
    }
  });
}

template void pairwise(const DenseF32&, const DenseF32&, const Form&, int, double*);
template void pairwise(const DenseF32&, const DenseF64&, const Form&, int, double*);
template void pairwise(const DenseF64&, const DenseF32&, const Form&, int, double*);
template void pairwise(const DenseF64&, const DenseF64&, const Form&, int, double*);

}  // namespace surefit::search
