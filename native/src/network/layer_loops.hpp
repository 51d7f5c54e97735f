// What follows a product of a network, on a block of it: what layer_loops.cpp provides for each vector level.
#pragma once

#include <cstddef>

#include "surefit/simd.hpp"

namespace surefit::network {

// Row r of a block starts at r · stride of a pointer.
struct Size {
  std::size_t rows, columns;
};

// g ← (g + α w) share ,  m ← β₁ m + (1 − β₁) g ,  s ← β₂ s + (1 − β₂) g² ,  w ← w − rate · m/(√s + ε)
template <class T>
struct AdamStep {
  T* w;
  T* m;
  T* s;
  T alpha, share, beta_1, rest_1, beta_2, rest_2, epsilon, rate;  // rest = 1 − β

  AdamStep from(std::size_t first) const {
    AdamStep moved = *this;
    moved.w += first, moved.m += first, moved.s += first;
    return moved;
  }
};

template <class T>
struct LayerLoops {
  void (*add_bias)(T* z, std::size_t stride, Size, const T* bias);        // z + b
  void (*rectify)(T* z, std::size_t stride, Size, const T* bias);         // max(z + b, 0)
  void (*gate)(T* delta, std::size_t stride, Size, const T* activations);  // δ where a > 0, else 0; of one stride
  void (*adam)(const AdamStep<T>&, std::size_t stride, Size, const T* g, std::size_t g_stride);
};

struct AllLayerLoops {
  LayerLoops<float> single_loops;
  LayerLoops<double> double_loops;
};

}  // namespace surefit::network

SUREFIT_TABLES(network::AllLayerLoops, layer_loops)
