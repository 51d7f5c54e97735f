#include "kernels/band_lengths.hpp"

#include <algorithm>

#include "surefit/aligned.hpp"
#include "surefit/fold.hpp"

namespace surefit::band_lengths {
namespace {

// Unknowns solved for before the next run of columns comes: their part of L stays in the cache for all kRuns of a task.
constexpr std::size_t kStretch = 64, kRuns = 4;

// Groups of `rows` unknowns of one factor, as Share has them; zeros where a row or a column is beyond the matrix.
void pack(const double* l, std::size_t n, std::size_t width, std::size_t rows, double* packed) {
  const auto at = [=](std::size_t r, std::size_t c) {
    return r < n && c <= r && r - c <= width ? l[c * (width + 1) + (r - c)] : 0.0;
  };
  for (std::size_t first = 0; first < n; first += rows) {
    for (std::size_t k = 0; k < width; ++k) {
      for (std::size_t r = 0; r < rows; ++r) *packed++ = first + k < width ? 0.0 : at(first + r, first + k - width);
    }
    for (std::size_t c = first; c < first + rows; ++c) {
      for (std::size_t r = first; r < first + rows; ++r) *packed++ = r == c && c < n ? 1 / at(c, c) : at(r, c);
    }
  }
}

// What one thread works in: for each run of columns its unknowns of this stretch and those before it.
struct Workspace {
  Aligned<double> x, lengths;
  Workspace(std::size_t unknowns, std::size_t columns)
      : x(kRuns * (unknowns + kStretch) * columns), lengths(kRuns * columns) {}
};

class Task {
 public:
  Task(const Loops& loops, const Factors& f, const double* packed, const double* v, std::size_t m, std::size_t stride,
       double* out)
      : loops_(loops), f_(f), packed_(packed), v_(v), m_(m), stride_(stride), out_(out) {}

  // Runs first ... last-1 of columns, all factors.
  void run(std::size_t first, std::size_t last, Workspace& own) const {
    const std::size_t columns = loops_.columns, apart = (f_.width + kStretch) * columns;
    for (std::size_t k = 0; k < f_.factors; ++k) {
      std::fill_n(own.x.data(), own.x.size(), 0.0);
      std::fill_n(own.lengths.data(), own.lengths.size(), 0.0);
      for (std::size_t c = 0; c < f_.n; c += kStretch) {
        for (std::size_t i = first; i < last; ++i) {
          stretch(k, c, start(i), own.x.data() + (i - first) * apart, own.lengths.data() + (i - first) * columns);
        }
      }
      for (std::size_t i = first; i < last; ++i) {  // columns that two runs share are written by the first
        const double* lengths = own.lengths.data() + (i - first) * columns - start(i);
        for (std::size_t j = i * columns; j < std::min((i + 1) * columns, m_); ++j) out_[k * m_ + j] = lengths[j];
      }
    }
  }

 private:
  // The last run begins early enough to be a whole one.
  std::size_t start(std::size_t i) const { return std::min(i * loops_.columns, stride_ - loops_.columns); }

  void stretch(std::size_t k, std::size_t c, std::size_t column, double* x, double* lengths) const {
    const std::size_t rows = loops_.rows, per_group = (f_.width + rows) * rows, kept = f_.width * loops_.columns;
    const std::size_t present = std::min(kStretch, f_.n - c), groups = (present + rows - 1) / rows;
    const double* packed = packed_ + (k * ((f_.n + rows - 1) / rows) + c / rows) * per_group;
    loops_.solve({packed, f_.width, groups, v_ + c * stride_ + column, stride_, present, x, lengths});
    std::copy(x + kStretch * loops_.columns, x + kStretch * loops_.columns + kept, x);
  }

  const Loops& loops_;
  const Factors& f_;
  const double* packed_;
  const double* v_;
  std::size_t m_, stride_;
  double* out_;
};

}  // namespace

void squared_lengths(const Factors& f, const double* v, std::size_t m, int n_threads, double* out) {
  if (f.factors == 0 || m == 0) return;
  const Loops& loops = SUREFIT_TABLE(band_loops);
  const double products = static_cast<double>(f.factors * f.n) * static_cast<double>(f.width + 1);
  n_threads = threads_for(products * static_cast<double>(m) * kVectorNs, n_threads);
  const std::size_t size = (f.n + loops.rows - 1) / loops.rows * (f.width + loops.rows) * loops.rows;
  Aligned<double> packed, padded;
  packed.reset(f.factors * size, false);
  parallel_for(f.factors, n_threads, [&](std::size_t k, int) {
    pack(f.l + k * f.n * (f.width + 1), f.n, f.width, loops.rows, packed.data() + k * size);
  });
  std::size_t stride = m;
  if (m < loops.columns) {
    stride = loops.columns;
    padded.reset(f.n * stride);
    for (std::size_t c = 0; c < f.n; ++c) std::copy(v + c * m, v + (c + 1) * m, padded.data() + c * stride);
    v = padded.data();
  }
  const Task task(loops, f, packed.data(), v, m, stride, out);
  const std::size_t runs = (m + loops.columns - 1) / loops.columns;
  PerThread<Workspace> own(n_threads);
  parallel_for((runs + kRuns - 1) / kRuns, n_threads, [&](std::size_t i, int thread) {
    task.run(i * kRuns, std::min((i + 1) * kRuns, runs), own.of(thread, f.width, loops.columns));
  });
}

}  // namespace surefit::band_lengths
