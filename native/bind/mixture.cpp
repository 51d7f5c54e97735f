#include <tuple>

#include "arrays.hpp"
#include "mixture/expectation.hpp"

namespace {

using namespace surefit::bind;

template <class T>
std::tuple<Array<double>, double, double> mixture_sums(const Matrix<T>& x, const Weights& w,
                                                       const Vector<double>& shift, const Vector<double>& scale,
                                                       const Matrix<double>& coef, bool full, std::size_t leaf_rows,
                                                       int n_threads) {
  const std::size_t p = surefit::mixture::features_of(x.shape(1), full), k = coef.shape(0);
  if (x.shape(0) == 0) throw std::invalid_argument("X has no rows");
  if (k == 0) throw std::invalid_argument("coef has no rows");
  some_leaf_rows(leaf_rows);
  same("shift", shift.shape(0), x.shape(1));
  same("scale", scale.shape(0), x.shape(1));
  same("a row of coef", coef.shape(1), p);
  if (w) same("w", w->shape(0), x.shape(0));
  count("sums of features", {k, p});
  auto sums = numbers<double>("sums of features", {k * p + 2});
  {
    nb::gil_scoped_release released;
    surefit::mixture::feature_sums(dense(x), data_of(w), shift.data(), scale.data(), coef.data(), k, full, leaf_rows,
                                   n_threads, sums.get());
  }
  const double value = sums[k * p], total = sums[k * p + 1];
  return {owned(copy(sums.get(), k * p), {k, p}), value, total};
}

template <class T>
void define(nb::module_& m) {
  m.def("mixture_sums", &mixture_sums<T>, nb::arg("X").noconvert(), nb::arg("w").none().noconvert(),
        nb::arg("shift").noconvert(), nb::arg("scale").noconvert(), nb::arg("coef").noconvert(), nb::arg("full"),
        nb::arg("leaf_rows"), nb::arg("n_threads"));
}

}  // namespace

void bind_mixture(nb::module_& m) {
  define<float>(m);
  define<double>(m);
}
