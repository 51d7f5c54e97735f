// One pass of Adam over examples, batch by batch. The bits do not depend on the number of threads.
//
// For a batch of weight Ω = Σ ω, and the network before the step,
//
//   f = Σ ω ℓ / Ω + (α/2) Σ ‖W‖² / Ω ,   W ← (W − step of Adam along ∇f) (1 − rate · decay) ,   b ← b − step along ∇f
//
// with the rate of the step before. Batches without weight are left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "network/layer_loops.hpp"
#include "network/losses.hpp"

namespace surefit::network {

// Parameters, and what Adam keeps of their slopes.
template <class T>
struct Parameter {
  T* values;
  T* means;
  T* squares;
};

template <class T>
struct Layer {
  std::size_t in, out;
  Parameter<T> w, b;  // (in, out) and (out,)
};

// Example i is row places[i] of X (·, inputs) and Y (·, outputs), or row i where there are no places.
template <class T>
struct Examples {
  const T* x;
  const T* y;
  const std::int64_t* places;
  const double* weights;  // of the examples, or null
  std::size_t n;
};

struct Adam {
  double alpha, decay, beta_1, beta_2, epsilon, rate;
  std::int64_t t;  // steps taken before

  // rate √(1 − β₂ᵗ)/(1 − β₁ᵗ), for t > 0
  double rate_at(std::int64_t t) const;

  // Step t along slopes that are multiplied by `share`.
  template <class T>
  AdamStep<T> step(const Parameter<T>& p, double share, std::int64_t t) const {
    const auto as = [](double v) { return static_cast<T>(v); };
    return {p.values, p.means, p.squares, as(alpha), as(share), as(beta_1), as(1 - beta_1), as(beta_2), as(1 - beta_2),
            as(epsilon), as(rate_at(t)), as(1 - rate_at(t - 1) * decay)};
  }

  // The same for intercepts.
  Adam free() const { return {0, 0, beta_1, beta_2, epsilon, rate, t}; }
};

struct Seen {
  double loss, weight;  // Σ ω ℓ + (α/2) Σ ‖W‖² over all batches, Σ ω
  std::int64_t steps;
};

// masks: for each hidden layer factors (batch, units) of its activations, where there is one batch only; or none
template <class T>
Seen adam_epoch(const std::vector<Layer<T>>& layers, Activation activation, Loss loss, const Examples<T>& examples,
                std::size_t batch, const std::vector<const T*>& masks, const Adam& adam, int n_threads);

}  // namespace surefit::network
