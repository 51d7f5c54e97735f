#include "summaries/canonical_loops.hpp"

namespace surefit::SUREFIT_LEVEL {
namespace {

std::uint64_t sum_of(const double* x, std::size_t n, std::size_t first_column) {
  std::uint64_t sum = 0;
  for (std::size_t j = 0; j < n; ++j) sum += canonical::entry_hash(x[j], first_column + j);
  return sum;
}

std::uint64_t double_row(const double* row, std::size_t n) { return sum_of(row, n, 0); }

// Widened piece by piece: a loop has one width of numbers, for the compiler to vectorize.
std::uint64_t single_row(const float* row, std::size_t n) {
  constexpr std::size_t kPiece = 128;
  double wide[kPiece];
  std::uint64_t sum = 0;
  for (std::size_t first = 0; first < n; first += kPiece) {
    const std::size_t m = n - first < kPiece ? n - first : kPiece;
    for (std::size_t j = 0; j < m; ++j) wide[j] = static_cast<double>(row[first + j]);
    sum += sum_of(wide, m, first);
  }
  return sum;
}

}  // namespace

extern const canonical::HashLoops hash_loops;
const canonical::HashLoops hash_loops = {single_row, double_row};

}  // namespace surefit::SUREFIT_LEVEL
