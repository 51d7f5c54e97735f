#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "linear_model/logistic.hpp"

namespace nb = nanobind;

namespace {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Array = nb::ndarray<nb::numpy, double>;

Array owned(std::unique_ptr<double[]> numbers, std::initializer_list<std::size_t> shape) {
  double* p = numbers.get();
  nb::capsule owner(p, [](void* q) noexcept { delete[] static_cast<double*>(q); });
  numbers.release();
  return Array(p, shape, owner);
}

void same(const char* what, std::size_t got, std::size_t wanted) {
  if (got != wanted) {
    throw std::invalid_argument(std::string(what) + " has length " + std::to_string(got) + ", expected " +
                                std::to_string(wanted));
  }
}

template <class T>
surefit::LogisticRows<T> rows_of(const Matrix<T>& x, const double* y, const std::optional<Vector<double>>& w,
                                 const Matrix<double>& coef, const Vector<double>& intercept, std::size_t leaf_rows) {
  if (x.shape(0) == 0) throw std::invalid_argument("X has no rows");
  if (coef.shape(0) == 0) throw std::invalid_argument("coef has no rows");
  if (leaf_rows == 0) throw std::invalid_argument("leaf_rows must be at least 1");
  same("a row of coef", coef.shape(1), x.shape(1));
  same("intercept", intercept.shape(0), coef.shape(0));
  if (w) same("w", w->shape(0), x.shape(0));
  if (coef.shape(0) * (x.shape(1) + coef.shape(0)) > (std::size_t{1} << 40)) throw std::bad_alloc();
  return {x.data(), y, w ? w->data() : nullptr, x.shape(0), coef.data(), intercept.data(), {x.shape(1), coef.shape(0)}};
}

using Pass = std::tuple<double, Array, Array, Array, double, double>;

std::unique_ptr<double[]> part(const double* from, std::size_t n) {
  std::unique_ptr<double[]> out(new double[n]);
  for (std::size_t i = 0; i < n; ++i) out[i] = from[i];
  return out;
}

template <class T>
Pass logistic_pass(const Matrix<T>& x, const Vector<double>& y, const std::optional<Vector<double>>& w,
                   const Matrix<double>& coef, const Vector<double>& intercept, bool single, std::size_t leaf_rows,
                   int n_threads) {
  const auto rows = rows_of(x, y.data(), w, coef, intercept, leaf_rows);
  same("y", y.shape(0), x.shape(0));
  const auto shape = rows.shape;
  std::unique_ptr<double[]> sums;
  {
    nb::gil_scoped_release released;
    sums.reset(new double[shape.size()]);
    surefit::logistic_pass(rows, single, leaf_rows, n_threads, sums.get());
  }
  const double* s = sums.get();
  return {s[0],
          owned(part(s + shape.gradient(), shape.m * shape.d), {shape.m, shape.d}),
          owned(part(s + shape.gradient_b(), shape.m), {shape.m}),
          owned(part(s + shape.curvature(), shape.m * shape.m), {shape.m, shape.m}),
          s[1],
          s[2]};
}

template <class T>
Array logistic_curvature(const Matrix<T>& x, const std::optional<Vector<double>>& w, const Matrix<double>& coef,
                         const Vector<double>& intercept, std::size_t leaf_rows, int n_threads) {
  const auto rows = rows_of(x, nullptr, w, coef, intercept, leaf_rows);
  std::unique_ptr<double[]> out;
  {
    nb::gil_scoped_release released;
    out.reset(new double[rows.n_rows]);
    surefit::logistic_curvature(rows, leaf_rows, n_threads, out.get());
  }
  return owned(std::move(out), {rows.n_rows});
}

template <class T>
void define(nb::module_& m) {
  m.def("logistic_pass", &logistic_pass<T>, nb::arg("X").noconvert(), nb::arg("y").noconvert(),
        nb::arg("w").none().noconvert(), nb::arg("coef").noconvert(), nb::arg("intercept").noconvert(),
        nb::arg("single"), nb::arg("leaf_rows"), nb::arg("n_threads"));
  m.def("logistic_curvature", &logistic_curvature<T>, nb::arg("X").noconvert(), nb::arg("w").none().noconvert(),
        nb::arg("coef").noconvert(), nb::arg("intercept").noconvert(), nb::arg("leaf_rows"), nb::arg("n_threads"));
}

}  // namespace

void bind_logistic(nb::module_& m) {
  define<float>(m);
  define<double>(m);
}
