#include "linear_model/batch_perceptron.hpp"

#include <cmath>

namespace surefit {

template <class Rows>
PerceptronEnd batch_perceptron(const Rows& rows, const PerceptronRows& about, std::uint64_t most_updates,
                               std::uint64_t most_work, PerceptronState& state, std::vector<std::int64_t>& passes) {
  const std::size_t n = rows.n_rows;
  double* theta = state.theta;
  double* intercept = about.fit_intercept ? theta + rows.d : nullptr;
  std::uint64_t work = 0;
  double length = std::sqrt(state.sq_length);
  while (state.quiet < n) {
    if (work >= most_work) return PerceptronEnd::most_work;
    const std::size_t i = state.position;
    ++work;
    bool right = state.path < state.look_at[i];
    if (!right) {
      work += rows.width(i) + 8;
      const double sign = about.sign[i], norm = about.norm[i];
      const double p = sign * (rows.dot(i, theta, about.scale) + (intercept ? about.scale * *intercept : 0.0));
      const double rounding = about.rounding * norm * length;
      right = p > rounding;
      if (right) {
        // Rounding of the path itself is far below the share left out.
        state.look_at[i] = state.path + (p - rounding) / norm * (1 - 1e-9);
      } else {
        if (state.updates >= most_updates) return PerceptronEnd::most_updates;
        rows.add(i, sign * about.scale, theta);
        if (intercept) *intercept += sign * about.scale;
        state.path += norm;
        state.sq_length = std::fmax(0.0, state.sq_length + 2 * p + norm * norm);
        length = std::sqrt(state.sq_length);
        ++state.updates;
        ++state.updates_in_pass;
      }
    }
    state.quiet = right ? state.quiet + 1 : 0;
    if (++state.position == n) {
      state.position = 0;
      passes.push_back(static_cast<std::int64_t>(state.updates_in_pass));
      state.updates_in_pass = 0;
    }
  }
  return PerceptronEnd::separated;
}

#define SUREFIT_BATCH_PERCEPTRON(...)                                                                                  \
  template PerceptronEnd batch_perceptron(const __VA_ARGS__&, const PerceptronRows&, std::uint64_t, std::uint64_t,     \
                                          PerceptronState&, std::vector<std::int64_t>&);
SUREFIT_BATCH_PERCEPTRON(DenseRows<float>)
SUREFIT_BATCH_PERCEPTRON(DenseRows<double>)
SUREFIT_BATCH_PERCEPTRON(CsrRows<float, std::int32_t>)
SUREFIT_BATCH_PERCEPTRON(CsrRows<float, std::int64_t>)
SUREFIT_BATCH_PERCEPTRON(CsrRows<double, std::int32_t>)
SUREFIT_BATCH_PERCEPTRON(CsrRows<double, std::int64_t>)

}  // namespace surefit
