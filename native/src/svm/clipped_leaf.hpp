// The vector part of a pass of hinge losses: what clipped_leaf.cpp provides for each vector level.
#pragma once

#include <cstddef>

#include "surefit/rows.hpp"

namespace surefit::clipped {

template <class T>
struct Leaf {
  DenseRows<T> x;
  const double* sign;
  const double* shift;      // or null: zeros
  const double* slope;
  const double* top;        // or null: infinite
  const double* coef;       // m rows of `padded` numbers, zeros behind column d
  const double* intercept;  // m
  std::size_t m;            // 1, or 2 with an earlier point
  std::size_t padded;
  double* scores;           // chunk_rows × m
  std::size_t chunk_rows;
  double* slack;            // of every row at each point, n × m
  double* residual;         // of every row
  double* sums;             // d + 1, zeros at first
};

struct Loops {
  std::size_t lanes;
  void (*f32)(const Leaf<float>&);
  void (*f64)(const Leaf<double>&);
};

}  // namespace surefit::clipped

SUREFIT_TABLES(clipped::Loops, clipped_loops)
