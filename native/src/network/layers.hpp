// The passes of a network of layers over a batch. Each ends in the blocks of its product while they are in the cache:
// no number is read a second time. The bits do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "network/layer_loops.hpp"

namespace surefit::network {

// out (m, d) = rows `places` of X (·, d)
template <class T>
void gather(const T* x, const std::int64_t* places, T* out, std::size_t m, std::size_t d, int n_threads);

// z (m, n) = σ(A (m, k) W (k, n) + b)
template <class T>
void forward(const T* a, const T* w, const T* b, T* z, std::size_t m, std::size_t n, std::size_t k, Activation,
             int n_threads);

// out (m, k) = δ (m, n) Wᵀ σ' with Wᵀ (n, k) and σ' of the activations a (m, k), times the mask (m, k) if there is one
template <class T>
void backward(const T* delta, const T* turned_w, const T* a, const T* mask, T* out, std::size_t m, std::size_t n,
              std::size_t k, Activation, int n_threads);

// Told which rows i … i + rows − 1 and columns j … j + columns − 1 of the parameters were moved.
using Moved = std::function<void(std::size_t i, std::size_t j, Size)>;

// A step of Adam along Aᵀ δ with A (m, k) and δ (m, n), for parameters (k, n).
template <class T>
void descend(const T* a, const T* delta, const AdamStep<T>& step, std::size_t m, std::size_t n, std::size_t k,
             int n_threads, const Moved& moved = {});

// A step of Adam along n slopes g.
template <class T>
void descend(const T* g, const AdamStep<T>& step, std::size_t n, int n_threads);

}  // namespace surefit::network
