#include "cluster/matrix_loops.hpp"

#include "cluster/linkage_search.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

using linkage::kBlock;
constexpr std::size_t kParts = kBlock * sizeof(double) / kVectorBytes;

inline double root(double x) { return __builtin_sqrt(x); }

// Sums over coordinates for one block after another; term(difference) is added, end(sum) is the distance.
template <class Term, class End>
SUREFIT_INLINE void distances(const double* x, const double* points, std::size_t first, std::size_t n, std::size_t d,
                              double* out, Term&& term, End&& end) {
  for (std::size_t start = first / kBlock * kBlock; start < n; start += kBlock) {
    Vec<double> sum[kParts] = {};
    const double* block = points + start * d;
    for (std::size_t k = 0; k < d; ++k) {
      const Vec<double> own = splat(x[k]);
      for (std::size_t p = 0; p < kParts; ++p) sum[p] += term(own - load(block + k * kBlock + p * kLanes<double>));
    }
    double all[kBlock];
    std::memcpy(all, sum, sizeof all);
    for (std::size_t l = 0; l < kBlock; ++l) all[l] = end(all[l]);
    const std::size_t lo = start < first ? first - start : 0, hi = n - start < kBlock ? n - start : kBlock;
    for (std::size_t l = lo; l < hi; ++l) out[start + l] = all[l];
  }
}

void euclidean(const double* x, const double* points, std::size_t first, std::size_t n, std::size_t d, double* out) {
  distances(x, points, first, n, d, out, [](Vec<double> v) { return v * v; }, [](double s) { return root(s); });
}
void manhattan(const double* x, const double* points, std::size_t first, std::size_t n, std::size_t d, double* out) {
  distances(x, points, first, n, d, out, [](Vec<double> v) { return v < 0 ? -v : v; }, [](double s) { return s; });
}
void half_squared(const double* x, const double* points, std::size_t first, std::size_t n, std::size_t d, double* out) {
  distances(x, points, first, n, d, out, [](Vec<double> v) { return v * v; }, [](double s) { return s / 2; });
}

double nearest(const double* row, std::int64_t i, std::size_t m, double* value, std::int64_t* partner) {
  typedef std::int64_t Places __attribute__((vector_size(kVectorBytes)));
  constexpr std::size_t wide = kLanes<double>;
  std::size_t j = static_cast<std::size_t>(i) + 1;
  Vec<double> least = splat(__builtin_inf());
  const Places own = i - Places{};
  for (; j + wide <= m; j += wide) {
    const Vec<double> v = load(row + j), now = load(value + j);
    Places at;
    std::memcpy(&at, partner + j, sizeof at);
    const auto nearer = v < now;
    store(value + j, nearer ? v : now);
    at = nearer ? own : at;
    std::memcpy(partner + j, &at, sizeof at);
    least = v < least ? v : least;
  }
  double out = __builtin_inf();
  for (std::size_t l = 0; l < wide; ++l) out = least[l] < out ? least[l] : out;
  for (; j < m; ++j) {
    if (row[j] < value[j]) value[j] = row[j], partner[j] = i;
    out = row[j] < out ? row[j] : out;
  }
  return out;
}

void between(const double* a, const double* b, double share, std::size_t first, std::size_t end, double* out) {
  for (std::size_t j = first; j < end; ++j) out[j] = a[j] + (b[j] - a[j]) * share;
}
void larger(const double* a, const double* b, std::size_t first, std::size_t end, double* out) {
  for (std::size_t j = first; j < end; ++j) out[j] = a[j] > b[j] ? a[j] : b[j];
}

}  // namespace

extern const linkage::MatrixLoops matrix_loops;
const linkage::MatrixLoops matrix_loops = {euclidean, manhattan, half_squared, nearest, between, larger};

}  // namespace surefit::SUREFIT_LEVEL
