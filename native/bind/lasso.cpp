#include "arrays.hpp"
#include "linear_model/lasso.hpp"

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
  return surefit::lasso_sweeps(h, gradient, point, thresholds, p, most, quiet);
}

}  // namespace

void bind_lasso(nb::module_& m) {
  m.def("lasso_sweeps", sweeps, nb::arg("H").noconvert(), nb::arg("r").noconvert(), nb::arg("z").noconvert(),
        nb::arg("t").noconvert(), nb::arg("most"), nb::arg("quiet"));
}
