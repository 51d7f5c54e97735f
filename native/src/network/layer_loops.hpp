// What follows a product of a network, on a block of it: what layer_loops.cpp provides for each vector level.
#pragma once

#include <cstddef>
#include <type_traits>

#include "surefit/simd.hpp"

namespace surefit::network {

// Row r of a block starts at r · stride of a pointer.
struct Size {
  std::size_t rows, columns;
};

// g ← (g + α w) share ,  m ← β₁ m + (1 − β₁) g ,  s ← β₂ s + (1 − β₂) g² ,  w ← (w − rate · m/(√s + ε)) · kept
template <class T>
struct AdamStep {
  T* w;
  T* m;
  T* s;
  T alpha, share, beta_1, rest_1, beta_2, rest_2, epsilon, rate, kept = 1;  // rest = 1 − β

  AdamStep from(std::size_t first) const {
    AdamStep moved = *this;
    moved.w += first, moved.m += first, moved.s += first;
    return moved;
  }
};

enum class Activation { identity, logistic, tanh, relu };
inline constexpr std::size_t kActivations = 4;

// Arrays of a loop have one stride, unless it takes two.
template <class T>
struct LayerLoops {
  // σ(z + b), by activation
  void (*activate[kActivations])(T* z, std::size_t stride, Size, const T* bias);
  // δ σ'(z) with a = σ(z), by activation
  void (*slope[kActivations])(T* delta, std::size_t stride, Size, const T* a);
  void (*scale)(T* z, std::size_t stride, Size, const T* factors);  // z times the factors, one by one
  void (*exponential)(T* z, std::size_t n);                         // exp z for z ≤ 0
  double (*squares)(const T* w, std::size_t n);                     // Σ w²
  void (*adam)(const AdamStep<T>&, std::size_t stride, Size, const T* g, std::size_t g_stride);
};

struct AllLayerLoops {
  LayerLoops<float> single_loops;
  LayerLoops<double> double_loops;
};

}  // namespace surefit::network

SUREFIT_TABLES(network::AllLayerLoops, layer_loops)

#ifndef SUREFIT_LEVEL
namespace surefit::network {

template <class T>
const LayerLoops<T>& loops() {
  if constexpr (std::is_same_v<T, float>) {
    return SUREFIT_TABLE(layer_loops).single_loops;
  } else {
    return SUREFIT_TABLE(layer_loops).double_loops;
  }
}

}  // namespace surefit::network
#endif
