// The rows of a node, split in place: those that go left first, both parts in the order they had.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit::histogram {

// Where the bin of a row stands: at[row * stride].
struct Column {
  const std::uint8_t* at;
  std::size_t stride;
};

// Splits rows[lo … hi − 1] by goes_left[bin]; returns the number that go left. `scratch` has the size of `rows` twice.
std::size_t partition(std::uint32_t* rows, std::size_t lo, std::size_t hi, Column column,
                      const std::uint8_t* goes_left, std::uint32_t* scratch, std::size_t n_rows, int n_threads);

}  // namespace surefit::histogram
