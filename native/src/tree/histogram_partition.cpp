#include "histogram_partition.hpp"

#include <algorithm>
#include <vector>

#include "surefit/fold.hpp"

namespace surefit::histogram {
namespace {

constexpr std::size_t kBlock = 16384;
constexpr double kRowNs = 2.5;

// Rows that go left stay in `rows` from lo on, the others stand in `right` from lo on.
std::size_t split_block(std::uint32_t* rows, std::size_t lo, std::size_t hi, Column column,
                        const std::uint8_t* goes_left, std::uint32_t* right) {
  constexpr std::size_t kAhead = 32;
  std::size_t n_left = lo, n_right = lo;
  for (std::size_t i = lo; i < hi; ++i) {
    const std::uint32_t row = rows[i];
    if (i + kAhead < hi) __builtin_prefetch(column.at + rows[i + kAhead] * column.stride);
    const std::size_t left = goes_left[column.at[row * column.stride]];
    right[n_right] = row;
    rows[n_left] = row;
    n_left += left;
    n_right += 1 - left;
  }
  return n_left - lo;
}

}  // namespace

std::size_t partition(std::uint32_t* rows, std::size_t lo, std::size_t hi, Column column,
                      const std::uint8_t* goes_left, std::uint32_t* scratch, std::size_t n_rows, int n_threads) {
  n_threads = threads_for(static_cast<double>(hi - lo) * kRowNs, n_threads);
  if (n_threads == 1) {
    const std::size_t n_left = split_block(rows, lo, hi, column, goes_left, scratch);
    std::copy(scratch + lo, scratch + lo + (hi - lo - n_left), rows + lo + n_left);
    return n_left;
  }
  const std::size_t n_blocks = leaves_of(hi - lo, kBlock);
  const auto start = [&](std::size_t block) { return std::min(hi, lo + block * kBlock); };
  std::vector<std::size_t> lefts(n_blocks + 1, 0);
  parallel_for(n_blocks, n_threads, [&](std::size_t block, int) {
    lefts[block + 1] = split_block(rows, start(block), start(block + 1), column, goes_left, scratch);
  });
  for (std::size_t block = 0; block < n_blocks; ++block) lefts[block + 1] += lefts[block];
  const std::size_t n_left = lefts[n_blocks];
  std::uint32_t* out = scratch + n_rows;
  parallel_for(n_blocks, n_threads, [&](std::size_t block, int) {
    const std::size_t first = start(block), left = lefts[block + 1] - lefts[block];
    const std::size_t right = start(block + 1) - first - left;
    std::copy_n(rows + first, left, out + lo + lefts[block]);
    std::copy_n(scratch + first, right, out + lo + n_left + (first - lo - lefts[block]));
  });
  parallel_for(n_blocks, n_threads, [&](std::size_t block, int) {
    std::copy(out + start(block), out + start(block + 1), rows + start(block));
  });
  return n_left;
}

}  // namespace surefit::histogram
