#include "lms.hpp"

#include <algorithm>
#include <vector>

namespace surefit::lms {
namespace {

// Rows of `to` numbers from rows of `from` numbers; what is missing is zero.
std::vector<double> restrided(const double* a, std::size_t k, std::size_t from, std::size_t to) {
  std::vector<double> out(k * to);
  for (std::size_t t = 0; t < k; ++t) std::copy_n(a + t * from, from, out.data() + t * to);
  return out;
}

// x~ of a sparse row is not sparse, but u is kept in two parts that are cheap to change. With c the center and s the
// scale,
//
//   u_j = (v_j - z c_j s_j^2) / s_j        u . x~ = v.x - c.v - z (x.p - c.p),   p_j = c_j s_j^2
//
// an update by delta is  v_j += delta x_j s_j^2  on the entries of x, and  z += delta; c.v is kept up to date by
// c.v += delta x.p . Likewise for the average. All that belongs to a column lies side by side: s_j^2, p_j, then v_j and
// its average for each target.
template <class T, class Index>
class SparseModel {
 public:
  static constexpr std::size_t ahead = 8;

  SparseModel(const Visits<CsrRows<T, Index>>& rows, const State& at)
      : rows_(rows), d_(rows.x.d), k_(rows.k), stride_(2 + 2 * k_), columns_(d_ * stride_), of_target_(k_) {
    for (std::size_t j = 0; j < d_; ++j) {
      double* column = columns_.data() + j * stride_;
      column[0] = rows.scale[j] * rows.scale[j];
      column[1] = rows.center[j] * column[0];
      c_p_ += rows.center[j] * column[1];
      for (std::size_t t = 0; t < k_; ++t) {
        column[2 + 2 * t] = at.coef[t * d_ + j] * rows.scale[j];
        column[3 + 2 * t] = at.average[t * d_ + j] * rows.scale[j];
        of_target_[t].c_v += rows.center[j] * column[2 + 2 * t];
      }
    }
  }

  double read(const CsrRow<T, Index>& row) {
    row_ = row;
    double x_x = 0, x_p = 0;
    for (Target& target : of_target_) target.x_v = 0;
    row.each([&](double x, std::size_t j, std::size_t) {
      const double* column = columns_.data() + j * stride_;
      x_x += x * x * column[0];
      x_p += x * column[1];
      for (std::size_t t = 0; t < k_; ++t) of_target_[t].x_v += x * column[2 + 2 * t];
    });
    x_p_ = x_p;
    return std::max(0.0, x_x - 2 * x_p + c_p_);
  }
  double score(std::size_t t) const {
    const Target& target = of_target_[t];
    return target.x_v - target.c_v - target.z * (x_p_ - c_p_);
  }
  void move(std::size_t t, double delta, double share) {
    row_.each([&](double x, std::size_t j, std::size_t) {
      double* column = columns_.data() + j * stride_;
      const double step = delta * x * column[0];
      column[2 + 2 * t] += step;
      column[3 + 2 * t] += share * step;
    });
    of_target_[t].z += delta;
    of_target_[t].z_average += delta * share;
    of_target_[t].c_v += delta * x_p_;
  }

  void write(State& at) const {
    for (std::size_t j = 0; j < d_; ++j) {
      const double* column = columns_.data() + j * stride_;
      for (std::size_t t = 0; t < k_; ++t) {
        at.coef[t * d_ + j] = (column[2 + 2 * t] - of_target_[t].z * column[1]) / rows_.scale[j];
        at.average[t * d_ + j] = (column[3 + 2 * t] - of_target_[t].z_average * column[1]) / rows_.scale[j];
      }
    }
  }

 private:
  struct Target {
    double z = 0, z_average = 0, c_v = 0, x_v = 0;
  };
  const Visits<CsrRows<T, Index>>& rows_;
  std::size_t d_, k_, stride_;
  std::vector<double> columns_;
  std::vector<Target> of_target_;
  CsrRow<T, Index> row_{};
  double c_p_ = 0, x_p_ = 0;
};

}  // namespace

template <class T>
void visit(const Visits<DenseRows<T>>& rows, State& at) {
  const Loops& loops = SUREFIT_TABLE(lms_loops);
  const std::size_t d = rows.x.d, stride = (d + loops.lanes - 1) / loops.lanes * loops.lanes;
  std::vector<double> coef = restrided(at.coef, rows.k, d, stride);
  std::vector<double> average = restrided(at.average, rows.k, d, stride);
  std::vector<double> row(stride);
  State inner{coef.data(), at.intercept, average.data(), at.average_b, at.clock, at.done};
  if constexpr (sizeof(T) == sizeof(float)) {
    loops.f32(rows, inner, row.data(), stride);
  } else {
    loops.f64(rows, inner, row.data(), stride);
  }
  for (std::size_t t = 0; t < rows.k; ++t) {
    std::copy_n(coef.data() + t * stride, d, at.coef + t * d);
    std::copy_n(average.data() + t * stride, d, at.average + t * d);
  }
  at.clock = inner.clock;
  at.done = inner.done;
}

template <class T, class Index>
void visit(const Visits<CsrRows<T, Index>>& rows, State& at) {
  SparseModel<T, Index> model(rows, at);
  walk(rows, at, model);
  model.write(at);
}

#define SUREFIT_VISIT(R) template void visit(const Visits<R>&, State&);
SUREFIT_EACH_ROWS(SUREFIT_VISIT)

}  // namespace surefit::lms
