#include <tuple>

#include "arrays.hpp"
#include "linear_model/lasso.hpp"
#include "linear_model/lasso_columns.hpp"

namespace {

using namespace surefit::bind;

std::size_t sweeps(const Matrix<double>& H, Changed r, Changed z, const Vector<double>& t, std::size_t most,
                   std::size_t quiet) {
  const std::size_t p = t.shape(0);
  if (H.shape(0) != p || H.shape(1) != p || r.shape(0) != p || z.shape(0) != p) {
    throw std::invalid_argument("H, r, z and t have different lengths");
  }
  const double* h = H.data();
  double *gradient = r.data(), *point = z.data();
  const double* thresholds = t.data();
  nb::gil_scoped_release release;
  return surefit::lasso::sweeps(h, gradient, point, thresholds, p, most, quiet);
}

// gradient, ridge, threshold, start: one entry for each chosen column, then one for the intercept where there is one.
using Terms = std::tuple<Vector<double>, Vector<double>, Vector<double>, Vector<double>>;
// scale, center
using Frame = std::tuple<Vector<double>, Vector<double>>;

template <class T, class Index>
double columns(const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr,
               const Vector<double>& curvature, const Vector<std::int64_t>& chosen, const Frame& frame,
               const Terms& terms, double tol, std::size_t most, Changed v) {
  const auto by_columns = csr(data, indices, indptr, curvature.shape(0));
  const std::size_t n_chosen = chosen.shape(0), n = v.shape(0);
  const auto& [scale, center] = frame;
  const auto& [gradient, ridge, threshold, start] = terms;
  if (n != n_chosen && n != n_chosen + 1) throw std::invalid_argument("v has neither an entry nor one more per column");
  same("scale", scale.shape(0), n_chosen);
  same("center", center.shape(0), n_chosen);
  same("gradient", gradient.shape(0), n);
  same("ridge", ridge.shape(0), n);
  same("threshold", threshold.shape(0), n);
  same("start", start.shape(0), n);
  rows_exist(chosen, by_columns.n);
  const surefit::lasso::Model<T, Index> model{by_columns,      curvature.data(), chosen.data(),   n_chosen,
                                              n > n_chosen,    scale.data(),     center.data(),   gradient.data(),
                                              ridge.data(),    threshold.data(), start.data()};
  double* moved = v.data();
  nb::gil_scoped_release release;
  return surefit::lasso::descend(model, tol, most, moved);
}

template <class T, class Index>
void define_columns(nb::module_& m) {
  m.def("lasso_columns", &columns<T, Index>, nb::arg("data").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("indptr").noconvert(), nb::arg("curvature").noconvert(), nb::arg("chosen").noconvert(),
        nb::arg("frame"), nb::arg("terms"), nb::arg("tol"), nb::arg("most"), nb::arg("v").noconvert());
}

}  // namespace

void bind_lasso(nb::module_& m) {
  m.def("lasso_sweeps", sweeps, nb::arg("H").noconvert(), nb::arg("r").noconvert(), nb::arg("z").noconvert(),
        nb::arg("t").noconvert(), nb::arg("most"), nb::arg("quiet"));
  define_columns<float, std::int32_t>(m);
  define_columns<float, std::int64_t>(m);
  define_columns<double, std::int32_t>(m);
  define_columns<double, std::int64_t>(m);
}
