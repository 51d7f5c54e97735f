#include <tuple>

#include "arrays.hpp"
#include "surefit/aligned.hpp"
#include "svm/smo.hpp"

namespace {

using namespace surefit::bind;

// low, high
using Box = std::tuple<Vector<double>, Vector<double>>;

template <class T>
std::tuple<std::size_t, double> descend(const Matrix<T>& K, const Vector<double>& diagonal, const Box& box, Changed beta,
                                        Changed F, double eps, std::size_t most) {
  const std::size_t m = beta.shape(0);
  const auto& [low, high] = box;
  same("K", K.shape(0), m);
  same("a row of K", K.shape(1), m);
  same("diagonal", diagonal.shape(0), m);
  same("low", low.shape(0), m);
  same("high", high.shape(0), m);
  same("F", F.shape(0), m);
  const surefit::Aligned<double> work(2 * m);
  const surefit::smo::Problem<T> problem{K.data(),   diagonal.data(), low.data(),  high.data(),    beta.data(),
                                         F.data(),   work.data(),     work.data() + m, m};
  nb::gil_scoped_release release;
  surefit::smo::Outcome out;
  if constexpr (std::is_same_v<T, float>) {
    out = SUREFIT_TABLE(smo_loops).single(problem, eps, most);
  } else {
    out = SUREFIT_TABLE(smo_loops).twice(problem, eps, most);
  }
  return {out.steps, out.violation};
}

template <class T>
void define(nb::module_& m) {
  m.def("smo_descend", &descend<T>, nb::arg("K").noconvert(), nb::arg("diagonal").noconvert(), nb::arg("box"),
        nb::arg("beta").noconvert(), nb::arg("F").noconvert(), nb::arg("eps"), nb::arg("most"));
}

}  // namespace

void bind_svm(nb::module_& m) {
  define<float>(m);
  define<double>(m);
}
