// The batch perceptron: θ ← θ + σᵢ x̃ᵢ on a row with σᵢ x̃ᵢ·θ ≤ 0, until there is none; rows are visited round and round.
//
// x̃ = s·(x, 1) with s a power of two that keeps squares finite, or s·x without an intercept.
//
// A row that was found with σ x̃·θ = p > 0 stays right while θ moves by less than p/‖x̃‖, and θ moves by at most the sum
// of the ‖x̃‖ of the updates: until that path is long enough the row is not looked at again. The sequence of updates is
// the same as if it were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "surefit/rows.hpp"

namespace surefit::batch_perceptron {

// What is known of the rows.
struct About {
  const double* sign;  // σ = ±1
  const double* norm;  // ‖x̃‖
  double scale;        // s
  double rounding;     // a margin counts as positive beyond rounding·‖x̃‖·‖θ‖
  bool fit_intercept;
};

// Where the visit stands: kept between calls.
struct State {
  double* theta;    // d coefficients, then the intercept, of x̃
  double* look_at;  // (n) the path at which the row is looked at again
  double path = 0, sq_length = 0;      // Σ ‖x̃‖ of the updates, ‖θ‖²
  std::uint64_t position = 0;          // the next row
  std::uint64_t quiet = 0;             // rows in a row that were right
  std::uint64_t updates = 0;           // all so far
  std::uint64_t updates_in_pass = 0;   // since row 0
};

enum class End { separated, most_updates, most_work };

// Visits rows until all are right, a violated one is met after `most_updates`, or about `most_work` numbers were read.
// The number of updates of each finished pass over the rows is appended to `passes`.
template <Rows X>
End visit(const X& rows, const About& about, std::uint64_t most_updates, std::uint64_t most_work, State& state,
          std::vector<std::int64_t>& passes);

}  // namespace surefit::batch_perceptron
