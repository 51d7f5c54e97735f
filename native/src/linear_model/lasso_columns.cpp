#include "lasso_columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace surefit::lasso {
namespace {

// Rows are never centered. With e_i = Σ_j x_ij s_j v_j , o = v_b − Σ_j c_j s_j v_j , W = Σ D , A = Σ D e , b_j = Σ_i D_i x_ij
//
//   ∂q/∂v_j = g_j + ρ_j v_j + s_j (Σ_i x_ij D_i e_i + o b_j − c_j (A + o W)) .
//
// D e is kept: a visit that changes nothing reads one number for each entry of the column.
template <class T, class Index>
class Descent {
 public:
  Descent(const Model<T, Index>& model, double* v)
      : m_(model), v_(v), moved_(model.columns.d), sums_(model.n_chosen), bends_(model.n_chosen) {
    for (std::size_t i = 0; i < moved_.size(); ++i) weight_ += m_.curvature[i];
    for (std::size_t k = 0; k < m_.n_chosen; ++k) measure(k);
    for (std::size_t k = 0; k < m_.n_chosen; ++k) {
      if (v[k] != 0) shift(k, v[k]);
    }
    if (m_.intercept) offset_ += v[m_.n_chosen];
  }

  // One visit to each of these; those that are zero and will stay so are left out of `visited` where it `shrinks`.
  double sweep(std::vector<std::size_t>& visited, bool shrinks) {
    double worst = 0;
    std::size_t kept = 0;
    for (const std::size_t k : visited) {
      if (!(bends_[k] > 0)) {  // no row notices it: zero is best
        v_[k] = -m_.start[k];
        continue;
      }
      const double slope = slope_of(k), t = m_.threshold[k], z = m_.start[k] + v_[k];
      const double breach = z != 0 ? std::fabs(slope + std::copysign(t, z)) : std::max(std::fabs(slope) - t, 0.0);
      if (shrinks && z == 0 && std::fabs(slope) < t * (1 - last_)) continue;
      visited[kept++] = k;
      worst = std::max(worst, breach / t);
      move(k, slope, t, z);
    }
    visited.resize(kept);
    if (m_.intercept) move_intercept();
    last_ = worst;
    return worst;
  }

 private:
  CsrRow<T, Index> column(std::size_t k) const { return m_.columns.row(static_cast<std::size_t>(m_.chosen[k])); }

  void measure(std::size_t k) {
    double sum = 0, square = 0;
    column(k).each([&](double x, std::size_t i, std::size_t) {
      sum += m_.curvature[i] * x;
      square += m_.curvature[i] * x * x;
    });
    const double c = m_.center[k], s = m_.scale[k];
    sums_[k] = sum;
    bends_[k] = m_.ridge[k] + s * s * std::max(square - 2 * c * sum + c * c * weight_, 0.0);
  }

  double slope_of(std::size_t k) const {
    const CsrRow<T, Index> c = column(k);
    const auto product = [&](std::size_t p) {
      return static_cast<double>(c.x[p]) * moved_[static_cast<std::size_t>(c.column[p])];
    };
    double sum[4] = {};  // additions of one do not wait for those of the others
    std::size_t p = 0;
    for (; p + 4 <= c.count; p += 4) {
      for (std::size_t l = 0; l < 4; ++l) sum[l] += product(p + l);
    }
    for (; p < c.count; ++p) sum[0] += product(p);
    const double of_rows = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    const double of_offset = offset_ * sums_[k] - m_.center[k] * (total_ + offset_ * weight_);
    return m_.gradient[k] + m_.ridge[k] * v_[k] + m_.scale[k] * (of_rows + of_offset);
  }

  void move(std::size_t k, double slope, double t, double z) {
    const double bend = bends_[k], aim = bend * z - slope;
    const double change = (aim > t ? aim - t : aim < -t ? aim + t : 0.0) / bend - z;
    if (change == 0) return;
    // an entry that becomes zero is exactly so: u + v = 0
    v_[k] = std::fabs(aim) <= t ? -m_.start[k] : v_[k] + change;
    shift(k, change);
  }

  void shift(std::size_t k, double change) {
    const double step = m_.scale[k] * change;
    column(k).each([&](double x, std::size_t i, std::size_t) { moved_[i] += step * (m_.curvature[i] * x); });
    total_ += step * sums_[k];
    offset_ -= step * m_.center[k];
  }

  void move_intercept() {
    const std::size_t k = m_.n_chosen;
    const double slope = m_.gradient[k] + m_.ridge[k] * v_[k] + total_ + offset_ * weight_, t = m_.threshold[k];
    const double bend = m_.ridge[k] + weight_, z = m_.start[k] + v_[k], aim = bend * z - slope;
    if (!(bend > 0)) return;
    const double change = (aim > t ? aim - t : aim < -t ? aim + t : 0.0) / bend - z;
    v_[k] += change;
    offset_ += change;
  }

  const Model<T, Index>& m_;
  double* v_;
  std::vector<double> moved_;        // D e
  std::vector<double> sums_, bends_;  // b, second derivatives
  double weight_ = 0, total_ = 0, offset_ = 0;  // W, A, o
  double last_ = std::numeric_limits<double>::infinity();
};

}  // namespace

template <class T, class Index>
double descend(const Model<T, Index>& model, double tol, std::size_t most, double* v) {
  Descent<T, Index> descent(model, v);
  std::vector<std::size_t> all(model.n_chosen);
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::size_t> visited = all;
  double worst = 0;
  for (std::size_t done = 0; done < most; ++done) {
    const bool everything = visited.size() == all.size();
    worst = descent.sweep(visited, true);
    if (worst > tol) continue;
    if (everything) break;
    visited = all;
  }
  return worst;
}

#define SUREFIT_LASSO_COLUMNS(T, Index) \
  template double descend(const Model<T, Index>&, double, std::size_t, double*);
SUREFIT_LASSO_COLUMNS(float, std::int32_t)
SUREFIT_LASSO_COLUMNS(float, std::int64_t)
SUREFIT_LASSO_COLUMNS(double, std::int32_t)
SUREFIT_LASSO_COLUMNS(double, std::int64_t)

}  // namespace surefit::lasso
