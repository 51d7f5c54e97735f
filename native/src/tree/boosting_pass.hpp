// What a round of boosting does to every row: the step of its leaf is added, and the slopes of the loss are taken.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit::boosting {

struct Leaves {
  const std::uint32_t* order;  // the rows of every leaf side by side
  const std::int64_t* first;   // where those of leaf i begin
  const std::int64_t* count;
  const double* value;
  std::size_t n;
};

// raw[row] += value of its leaf
void add_steps(const Leaves& leaves, double* raw, int n_threads);

// ℓ = log(1 + e^z) − y z with y ∈ {0, 1}: ℓ′ and ℓ″ of every row; returns Σ w ℓ. (w null: all one.)
double logistic(const double* raw, const double* y, const double* w, std::size_t n, double* gradient, double* hessian,
                int n_threads);

// ℓ = ½ (z − y)²: ℓ′; returns Σ w ℓ.
double squared(const double* raw, const double* y, const double* w, std::size_t n, double* gradient, int n_threads);

}  // namespace surefit::boosting
