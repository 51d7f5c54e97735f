// The vector part of the class sums: what class_loops.cpp provides for each vector level, on the rows of one leaf.
#pragma once

#include <cstddef>
#include <cstdint>

#include "surefit/rows.hpp"

namespace surefit::class_statistics {

// Classes are in range.
template <class T>
struct Loops {
  using Rows = LabelledRows<DenseRows<T>>;
  // sums (n_classes × d, zeros before) += w x. Returns whether an x is below zero.
  bool (*sums)(const Rows&, double* sums);
  // The same of 1 where x > threshold, else 0. Returns whether an x is not finite.
  bool (*counts)(const Rows&, double threshold, double* sums);
  // Given rough means: shift += w (x - mean), squares += w (x - mean)²; both zeros before.
  void (*deviations)(const Rows&, const double* means, double* shift, double* squares);
  // lowest and highest of every column (filled before with the first row). Returns whether an x is not finite.
  bool (*range)(const DenseRows<T>&, T* lowest, T* highest);
};

// One for each type of numbers.
struct LoopsOfAll : Loops<float>, Loops<double>, Loops<std::int32_t>, Loops<std::int64_t> {};

}  // namespace surefit::class_statistics

SUREFIT_TABLES(class_statistics::LoopsOfAll, class_loops)

namespace surefit::class_statistics {

template <class T>
const Loops<T>& loops() {
  return SUREFIT_TABLE(class_loops);
}

}  // namespace surefit::class_statistics
