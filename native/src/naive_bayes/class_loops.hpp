// The vector part of the class sums: what class_loops.cpp provides for each vector level, on the rows of one leaf.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit {

// Row-major without gaps; classes are in range; w may be null (every row counts once).
template <class T>
struct ClassRows {
  const T* x;
  std::size_t n_rows, n_features;
  const std::int32_t* classes;
  std::size_t n_classes;
  const double* w;
};

template <class T>
struct ClassLoops {
  // sums (n_classes × n_features, zeros before) += w x. Returns whether an x is below zero.
  bool (*sums)(const ClassRows<T>&, double* sums);
  // The same of 1 where x > threshold, else 0. Returns whether an x is not finite.
  bool (*counts)(const ClassRows<T>&, double threshold, double* sums);
  // Given rough means: shift += w (x - mean), squares += w (x - mean)²; both zeros before.
  void (*deviations)(const ClassRows<T>&, const double* means, double* shift, double* squares);
  // lowest and highest of every column (filled before with the first row). Returns whether an x is not finite.
  bool (*range)(const T* x, std::size_t n_rows, std::size_t n_features, T* lowest, T* highest);
};

struct ClassLoopsOf {
  ClassLoops<float> f32;
  ClassLoops<double> f64;
  ClassLoops<std::int32_t> i32;
  ClassLoops<std::int64_t> i64;
};

namespace baseline { extern const ClassLoopsOf class_loops; }
#ifdef SUREFIT_X86_LEVELS
namespace v3 { extern const ClassLoopsOf class_loops; }
namespace v4 { extern const ClassLoopsOf class_loops; }
#endif

const ClassLoopsOf& class_loops_here();  // of the level in force

template <class T>
const ClassLoops<T>& class_loops();

}  // namespace surefit
