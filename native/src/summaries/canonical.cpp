#include "canonical.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "summaries/canonical_loops.hpp"
#include "surefit/fold.hpp"

namespace surefit::canonical {
namespace {

template <class T>
std::uint64_t row_sum(const DenseRows<T>& rows, std::size_t i) {
  const HashLoops& loops = SUREFIT_TABLE(hash_loops);
  if constexpr (std::is_same_v<T, float>) {
    return loops.single_row(rows.x + i * rows.d, rows.d);
  } else {
    return loops.double_row(rows.x + i * rows.d, rows.d);
  }
}

template <Rows X>
std::uint64_t row_sum(const X& rows, std::size_t i) {
  std::uint64_t sum = 0;
  rows.row(i).each([&](double x, std::size_t j, std::size_t) { sum += entry_hash(x, j); });
  return sum;
}

}  // namespace

template <Rows X>
void hash_rows(const X& rows, int n_threads, std::uint64_t* out) {
  constexpr std::size_t kRows = 64;  // of one task
  n_threads = threads_for(static_cast<double>(rows.entries()) * kScalarNs, n_threads);
  parallel_for(leaves_of(rows.n, kRows), n_threads, [&](std::size_t task, int) {
    const std::size_t hi = std::min(rows.n, (task + 1) * kRows);
    for (std::size_t i = task * kRows; i < hi; ++i) {
      out[i] = scramble(row_sum(rows, i));
    }
  });
}

// Hashes are spread evenly: one distribution by their leading bits leaves a few rows in each bucket.
void order_by_hash(const std::uint64_t* hash, std::size_t n, std::int64_t* order) {
  int bits = 0;
  while ((std::size_t{4} << bits) < n && bits < 24) ++bits;
  const auto bucket = [&](std::size_t i) { return bits ? static_cast<std::size_t>(hash[i] >> (64 - bits)) : 0; };
  std::vector<std::size_t> start((std::size_t{1} << bits) + 1, 0);
  for (std::size_t i = 0; i < n; ++i) ++start[bucket(i) + 1];
  for (std::size_t b = 1; b < start.size(); ++b) start[b] += start[b - 1];
  struct Entry {
    std::uint64_t hash;
    std::int64_t row;
    bool operator<(const Entry& o) const { return hash != o.hash ? hash < o.hash : row < o.row; }
  };
  std::vector<Entry> entries(n);
  std::vector<std::size_t> at(start.begin(), start.end() - 1);
  for (std::size_t i = 0; i < n; ++i) entries[at[bucket(i)]++] = {hash[i], static_cast<std::int64_t>(i)};
  for (std::size_t b = 0; b + 1 < start.size(); ++b) {
    if (start[b + 1] - start[b] > 1) {
      std::sort(entries.begin() + static_cast<std::ptrdiff_t>(start[b]),
                entries.begin() + static_cast<std::ptrdiff_t>(start[b + 1]));
    }
  }
  for (std::size_t i = 0; i < n; ++i) order[i] = entries[i].row;
}

#define SUREFIT_HASH(R) template void hash_rows(const R&, int, std::uint64_t*);
SUREFIT_EACH_ROWS(SUREFIT_HASH)

}  // namespace surefit::canonical
