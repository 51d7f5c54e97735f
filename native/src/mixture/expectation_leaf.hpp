// The vector part of a pass of expectation and maximization: what expectation_leaf.cpp provides for each vector level.
#pragma once

#include <cstddef>

#include "surefit/simd.hpp"

namespace surefit::mixture {

inline constexpr std::size_t kChunkRows = 96;  // rows whose features are held at a time

// Features of a row: x_i x_j for i ≤ j (`full`) or x_i²; x. All runs of numbers are padded to whole vectors.
struct Shape {
  std::size_t d, n_features, n_components;
  std::size_t features, components;  // padded
  bool full;
};

template <class T>
struct Leaf {
  const T* x;
  std::size_t n;
  const double* w;  // null when every row counts once
  const double* shift;
  const double* scale;
  Shape shape;
  const double* coef;      // n_features × components: of log π_k N(x; m_k, Σ_k)
  const double* constant;  // components: the rest of it; −∞ for components that are padding
  double* row;             // d and a vector of zeros
  double* phi;             // kChunkRows × features and a vector more, zeros
  double* joint;           // kChunkRows × components
  double* turned;          // components × lanes
  double* sums;            // n_components × features, zeros
  double* mass;            // components × lanes, zeros: Σ ω r in parts
};

struct Loops {
  std::size_t lanes;
  double (*single_leaf)(const Leaf<float>&);
  double (*double_leaf)(const Leaf<double>&);
};

}  // namespace surefit::mixture

SUREFIT_TABLES(mixture::Loops, mixture_loops)
