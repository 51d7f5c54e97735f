// The binned rows of a fit, and the integers that stand for their gradients.
#pragma once

#include <vector>

#include "histogram_cells.hpp"
#include "histogram_partition.hpp"
#include "surefit/aligned.hpp"

namespace surefit::histogram {

enum class Form { same, counted, three };

// Bins row by row (for histograms) and, with `columns`, column by column (for splits); missing ones have the bin 255.
class BinnedRows {
 public:
  BinnedRows(const std::uint8_t* bins, std::size_t n, std::size_t d, bool columns, int n_threads);

  std::size_t n, d;
  const std::uint8_t* bins;
  std::vector<std::uint8_t> has_missing;
  Column column(std::size_t j) const { return columns_ ? Column{columns_.data() + j * n, 1} : Column{bins + j, d}; }

 private:
  Aligned<std::uint8_t> columns_;
};

// What the integers of all rows of a fit are chosen by, these rows perhaps being a part of them.
struct Scale {
  double n_rows, weight;     // how many they are, and their weight
  double g = 0, h = 0, c = 0;  // the largest of each, in size
};

// Of these rows alone; `weight` is that of all of them.
Scale scale_of(const double* g, const double* h, const double* c, std::size_t n, double weight, int n_threads);

// g, h and c of every row as integers (histogram_cells.hpp). h or c null: all one.
class Statistics {
 public:
  void round(const double* g, const double* h, const double* c, std::size_t n, const Scale& scale, int n_threads);

  Form form = Form::same;
  Grid grid;
  const Pair* pairs() const { return reinterpret_cast<const Pair*>(memory_.data()); }
  const Four* fours() const { return reinterpret_cast<const Four*>(memory_.data()); }
  template <class Kind>
  const typename Kind::Row* of() const {
    if constexpr (std::is_same_v<typename Kind::Row, Pair>) return pairs();
    else return fours();
  }

 private:
  Aligned<unsigned char> memory_;
};

}  // namespace surefit::histogram
