#include "histogram_partition.hpp"

#include <algorithm>
#include <vector>

#include "surefit/fold.hpp"

namespace surefit::histogram {
namespace {

constexpr std::size_t kBlock = 8192;
constexpr double kRowNs = 1.5;

// Rows that go left stand in `left` from lo on (which may be `rows`), the others in `right` from lo on.
std::size_t split_block(const std::uint32_t* rows, std::size_t lo, std::size_t hi, Column column,
                        const std::uint8_t* goes_left, std::uint32_t* left, std::uint32_t* right) {
  constexpr std::size_t kAhead = 32;
  std::size_t n_left = lo, n_right = lo;
  for (std::size_t i = lo; i < hi; ++i) {
    const std::uint32_t row = rows[i];
    if (i + kAhead < hi) __builtin_prefetch(column.at + rows[i + kAhead] * column.stride);
    const std::size_t is_left = goes_left[column.at[row * column.stride]];
    right[n_right] = row;
    left[n_left] = row;
    n_left += is_left;
    n_right += 1 - is_left;
  }
  return n_left - lo;
}

}  // namespace

std::size_t partition(std::uint32_t* rows, std::size_t lo, std::size_t hi, Column column,
                      const std::uint8_t* goes_left, std::uint32_t* scratch, std::size_t n_rows, int n_threads) {
  n_threads = threads_awake(static_cast<double>(hi - lo) * kRowNs, n_threads);
  if (n_threads == 1) {
    const std::size_t n_left = split_block(rows, lo, hi, column, goes_left, rows, scratch);
    std::copy(scratch + lo, scratch + lo + (hi - lo - n_left), rows + lo + n_left);
    return n_left;
  }
  const std::size_t n_blocks = leaves_of(hi - lo, kBlock);
  const auto start = [&](std::size_t block) { return std::min(hi, lo + block * kBlock); };
  std::vector<std::size_t> lefts(n_blocks + 1, 0);
  std::uint32_t* aside = scratch + n_rows;  // of those that go left; the first block's stand in their place at once
  parallel_for(n_blocks, n_threads, [&](std::size_t block, int) {
    lefts[block + 1] = split_block(rows, start(block), start(block + 1), column, goes_left,
                                   block == 0 ? rows : aside, scratch);
  });
  for (std::size_t block = 0; block < n_blocks; ++block) lefts[block + 1] += lefts[block];
  const std::size_t n_left = lefts[n_blocks];
  parallel_for(n_blocks, n_threads, [&](std::size_t block, int) {
    const std::size_t first = start(block), left = lefts[block + 1] - lefts[block];
    const std::size_t right = start(block + 1) - first - left;
    if (block > 0) std::copy_n(aside + first, left, rows + lo + lefts[block]);
    std::copy_n(scratch + first, right, rows + lo + n_left + (first - lo - lefts[block]));
  });
  return n_left;
}

}  // namespace surefit::histogram
