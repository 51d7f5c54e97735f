// One step of Adam, what adam_loops.cpp provides for each vector level.
#pragma once

#include <cstddef>

#include "surefit/simd.hpp"

namespace surefit::network {

// m ← β₁ m + (1 − β₁) g ,  s ← β₂ s + (1 − β₂) g² ,  w ← w − rate · m/(√s + ε)
template <class T>
struct AdamStep {
  T* w;
  const T* g;
  T* m;
  T* s;
  T beta_1, rest_1, beta_2, rest_2, epsilon, rate;  // rest = 1 − β
};

struct AdamLoops {
  void (*single_step)(const AdamStep<float>&, std::size_t first, std::size_t last);
  void (*double_step)(const AdamStep<double>&, std::size_t first, std::size_t last);
};

}  // namespace surefit::network

SUREFIT_TABLES(network::AdamLoops, adam_loops)
