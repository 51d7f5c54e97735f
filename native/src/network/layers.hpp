// The passes of a network of layers over a batch. Each ends in the blocks of its product while they are in the cache:
// no number is read a second time. The bits do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "network/layer_loops.hpp"

namespace surefit::network {

// out (m, d) = rows `places` of X (·, d)
template <class T>
void gather(const T* x, const std::int64_t* places, T* out, std::size_t m, std::size_t d, int n_threads);

// z (m, n) = A (m, k) W (k, n) + b , or max(·, 0) where it is `rectified`
template <class T>
void forward(const T* a, const T* w, const T* b, T* z, std::size_t m, std::size_t n, std::size_t k, bool rectified,
             int n_threads);

// out (m, k) = δ (m, n) Wᵀ with Wᵀ (n, k), zero where the activations a (m, k) are not positive
template <class T>
void backward(const T* delta, const T* turned_w, const T* a, T* out, std::size_t m, std::size_t n, std::size_t k,
              int n_threads);

// A step of Adam along Aᵀ δ with A (m, k) and δ (m, n), for parameters (k, n).
template <class T>
void descend(const T* a, const T* delta, const AdamStep<T>& step, std::size_t m, std::size_t n, std::size_t k,
             int n_threads);

// A step of Adam along n slopes g.
template <class T>
void descend(const T* g, const AdamStep<T>& step, std::size_t n, int n_threads);

// In z (n, c): softmax(z) − Y, times the weights of the rows. Returns Σ ω (log Σ eᶻ − z·y).
template <class T>
double softmax_slopes(T* z, const T* y, const double* weights, std::size_t n, std::size_t c);

}  // namespace surefit::network
