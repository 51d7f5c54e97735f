// Every column sorted once: the lists from which exact trees grow.
//
// A list holds row numbers in ascending order of the column's values, equal values in ascending order of the rows,
// missing values (NaN) last. The top bit of an entry (`kNew`) says that its value differs from that of the entry before
// it; so a scan needs no values at all.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit::exact_tree {

using Row = std::uint32_t;
template <class Id>
constexpr Id kNew = static_cast<Id>(Id{1} << (8 * sizeof(Id) - 1));

constexpr std::size_t kAhead = 32;  // entries whose rows are fetched before they are needed, where rows are many

struct Columns {
  const Row* lists;  // d lists of n entries
  std::size_t n, d;
  const void* x;  // n × d by rows, float or double
  bool is_float;
  const std::uint8_t* missing;      // d: does the column hold NaN
  const std::uint8_t* categorical;  // d: are its values categories 0 … 255

  double value(std::size_t row, std::size_t j) const {
    return is_float ? static_cast<double>(static_cast<const float*>(x)[row * d + j])
                    : static_cast<const double*>(x)[row * d + j];
  }
  const Row* list(std::size_t j) const { return lists + j * n; }
};

// in: x (n × d by rows). out: lists (d × n), missing (d).
template <class T>
void presort(const T* x, std::size_t n, std::size_t d, Row* lists, std::uint8_t* missing, int n_threads);

}  // namespace surefit::exact_tree
