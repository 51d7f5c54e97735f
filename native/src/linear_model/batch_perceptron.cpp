#include "linear_model/batch_perceptron.hpp"

#include <cmath>

namespace surefit::batch_perceptron {

template <Rows X>
End visit(const X& rows, const About& about, std::uint64_t most_updates, std::uint64_t most_work, State& state,
          std::vector<std::int64_t>& passes) {
  const std::size_t n = rows.n;
  double* theta = state.theta;
  double* intercept = about.fit_intercept ? theta + rows.d : nullptr;
  std::uint64_t work = 0;
  double length = std::sqrt(state.sq_length);
  while (state.quiet < n) {
    if (work >= most_work) return End::most_work;
    const std::size_t i = state.position;
    ++work;
    bool right = state.path < state.look_at[i];
    if (!right) {
      const auto row = rows.row(i);
      work += row.size() + 8;
      const double sign = about.sign[i], norm = about.norm[i];
      const double p = sign * (row.dot(theta, about.scale) + (intercept ? about.scale * *intercept : 0.0));
      const double rounding = about.rounding * norm * length;
      right = p > rounding;
      if (right) {
        // Rounding of the path itself is far below the share left out.
        state.look_at[i] = state.path + (p - rounding) / norm * (1 - 1e-9);
      } else {
        if (state.updates >= most_updates) return End::most_updates;
        add_to(row, sign * about.scale, theta);
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
  return End::separated;
}

#define SUREFIT_VISIT(R)                                                                        \
  template End visit(const R&, const About&, std::uint64_t, std::uint64_t, State&, std::vector<std::int64_t>&);
SUREFIT_EACH_ROWS(SUREFIT_VISIT)

}  // namespace surefit::batch_perceptron
