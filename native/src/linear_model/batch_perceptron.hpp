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

namespace surefit {

template <class T>
struct DenseRows {
  const T* x;
  std::size_t n_rows, d;

  double dot(std::size_t i, const double* w, double scale) const {
    const T* row = x + i * d;
    double sums[4] = {0, 0, 0, 0};
    std::size_t j = 0;
    for (; j + 4 <= d; j += 4) {
      for (std::size_t k = 0; k < 4; ++k) sums[k] += scale * static_cast<double>(row[j + k]) * w[j + k];
    }
    for (; j < d; ++j) sums[0] += scale * static_cast<double>(row[j]) * w[j];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  void add(std::size_t i, double factor, double* w) const {
    const T* row = x + i * d;
    for (std::size_t j = 0; j < d; ++j) w[j] += factor * static_cast<double>(row[j]);
  }
  std::size_t width(std::size_t) const { return d; }
};

template <class T, class Index>
struct CsrRows {
  const T* data;
  const Index* indices;
  const Index* indptr;
  std::size_t n_rows, d;

  double dot(std::size_t i, const double* w, double scale) const {
    double sum = 0;
    for (Index k = indptr[i]; k < indptr[i + 1]; ++k) sum += scale * static_cast<double>(data[k]) * w[indices[k]];
    return sum;
  }
  void add(std::size_t i, double factor, double* w) const {
    for (Index k = indptr[i]; k < indptr[i + 1]; ++k) w[indices[k]] += factor * static_cast<double>(data[k]);
  }
  std::size_t width(std::size_t i) const { return static_cast<std::size_t>(indptr[i + 1] - indptr[i]); }
};

struct PerceptronRows {
  const double* sign;  // σ = ±1
  const double* norm;  // ‖x̃‖
  double scale;        // s
  double rounding;     // a margin counts as positive beyond rounding·‖x̃‖·‖θ‖
  bool fit_intercept;
};

// Where the visit stands: kept between calls.
struct PerceptronState {
  double* theta;    // d coefficients, then the intercept, of x̃
  double* look_at;  // (n) the path at which the row is looked at again
  double path = 0, sq_length = 0;      // Σ ‖x̃‖ of the updates, ‖θ‖²
  std::uint64_t position = 0;          // the next row
  std::uint64_t quiet = 0;             // rows in a row that were right
  std::uint64_t updates = 0;           // all so far
  std::uint64_t updates_in_pass = 0;   // since row 0
};

enum class PerceptronEnd { separated, most_updates, most_work };

// Visits rows until all are right, a violated one is met after `most_updates`, or about `most_work` numbers were read.
// The number of updates of each finished pass over the rows is appended to `passes`.
template <class Rows>
PerceptronEnd batch_perceptron(const Rows& rows, const PerceptronRows& about, std::uint64_t most_updates,
                               std::uint64_t most_work, PerceptronState& state, std::vector<std::int64_t>& passes);

}  // namespace surefit
