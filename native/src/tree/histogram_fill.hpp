// The histogram of some rows: cell (j, b) is the sum over the rows whose feature j is in bin b.
#pragma once

#include "histogram_cells.hpp"

namespace surefit::histogram {

// Adds rows[lo … hi − 1] (with `rows` null: lo … hi − 1 themselves) to d × 256 cells. `bins` is row by row.
template <class Kind>
void fill(const std::uint8_t* bins, std::size_t d, const std::uint32_t* rows, std::size_t lo, std::size_t hi,
          const typename Kind::Row* statistics, int shift, typename Kind::Cell* cells) {
  constexpr std::size_t kAhead = 16;  // rows are fetched from memory this far ahead of their use
  for (std::size_t i = lo; i < hi; ++i) {
    const std::size_t row = rows ? rows[i] : i;
    if (rows && i + kAhead < hi) {
      const std::size_t next = rows[i + kAhead];
      const std::uint8_t* first = bins + next * d;
      __builtin_prefetch(first);
      for (std::size_t byte = 63; byte < d; byte += 64) __builtin_prefetch(first + byte);
      __builtin_prefetch(first + d - 1);
      __builtin_prefetch(statistics + next);
    }
    const typename Kind::Cell& added = Kind::cell(statistics[row], shift);
    const std::uint8_t* bin = bins + row * d;
    typename Kind::Cell* feature = cells;
    std::size_t j = 0;
    for (; j + 4 <= d; j += 4, feature += 4 * kBins) {
      feature[bin[j]] += added;
      feature[kBins + bin[j + 1]] += added;
      feature[2 * kBins + bin[j + 2]] += added;
      feature[3 * kBins + bin[j + 3]] += added;
    }
    for (; j < d; ++j, feature += kBins) feature[bin[j]] += added;
  }
}

}  // namespace surefit::histogram
