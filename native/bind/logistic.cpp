#include <tuple>

#include "arrays.hpp"
#include "linear_model/logistic.hpp"
#include "linear_model/logistic_csr.hpp"

namespace {

using namespace surefit::bind;

template <class T>
surefit::logistic::Problem<T> problem_of(const Matrix<T>& x, const double* y, const Weights& w,
                                         const Matrix<double>& coef, const Vector<double>& intercept,
                                         bool curvature, std::size_t leaf_rows) {
  if (x.shape(0) == 0) throw std::invalid_argument("X has no rows");
  if (coef.shape(0) == 0) throw std::invalid_argument("coef has no rows");
  some_leaf_rows(leaf_rows);
  same("a row of coef", coef.shape(1), x.shape(1));
  same("intercept", intercept.shape(0), coef.shape(0));
  if (w) same("w", w->shape(0), x.shape(0));
  const bool curved = curvature || coef.shape(0) == 1;
  if (curved) count("second derivatives of the intercepts", {coef.shape(0), coef.shape(0)});
  return {dense(x), y, data_of(w), coef.data(), intercept.data(), {x.shape(1), coef.shape(0), curved}};
}

using Pass = std::tuple<double, Array<double>, Array<double>, std::optional<Array<double>>, double, double>;

template <class T>
Pass logistic_pass(const Matrix<T>& x, const Vector<double>& y, const Weights& w,
                   const Matrix<double>& coef, const Vector<double>& intercept, bool single, bool curvature,
                   std::size_t leaf_rows, int n_threads) {
  const auto problem = problem_of(x, y.data(), w, coef, intercept, curvature, leaf_rows);
  same("y", y.shape(0), x.shape(0));
  const auto shape = problem.shape;
  auto sums = numbers<double>("loss and derivatives", {shape.size()});
  {
    nb::gil_scoped_release released;
    surefit::logistic::pass(problem, single, leaf_rows, n_threads, sums.get());
  }
  const double* s = sums.get();
  std::optional<Array<double>> J;
  if (shape.curved) J = owned(copy(s + shape.curvature(), shape.m * shape.m), {shape.m, shape.m});
  return {s[0],
          owned(copy(s + shape.gradient(), shape.m * shape.d), {shape.m, shape.d}),
          owned(copy(s + shape.gradient_b(), shape.m), {shape.m}),
          std::move(J),
          s[1],
          s[2]};
}

template <class T>
Array<double> logistic_curvature(const Matrix<T>& x, const Weights& w, const Matrix<double>& coef,
                                 const Vector<double>& intercept, std::size_t leaf_rows, int n_threads) {
  const auto problem = problem_of(x, nullptr, w, coef, intercept, true, leaf_rows);
  auto out = numbers<double>("curvatures of rows", {problem.x.n});
  {
    nb::gil_scoped_release released;
    surefit::logistic::row_curvature(problem, leaf_rows, n_threads, out.get());
  }
  return owned(std::move(out), {problem.x.n});
}

// (loss, slope, curvature, spread, margin), and the slopes of the rows or, `summed`, the gradient
using SparseRows = std::tuple<std::tuple<double, double, double, double, double>, Array<double>>;

template <class T, class Index>
SparseRows logistic_csr_rows(const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr,
                             const Vector<double>& y, const Weights& w, const Vector<double>& coef, double intercept,
                             bool summed, std::size_t leaf_rows, int n_threads) {
  const auto rows = csr_ends(data, indices, indptr, coef.shape(0));
  same("y", y.shape(0), rows.n);
  if (w) same("w", w->shape(0), rows.n);
  some_leaf_rows(leaf_rows);
  if (rows.n == 0) throw std::invalid_argument("X has no rows");
  const std::size_t size = summed ? rows.d : rows.n;
  auto slopes = numbers<double>("slopes", {size});
  surefit::logistic::RowSums sums;
  {
    nb::gil_scoped_release released;
    const surefit::logistic::SparseProblem<T, Index> problem{rows, y.data(), data_of(w), coef.data(), intercept};
    sums = summed ? surefit::logistic::sparse_pass(problem, leaf_rows, n_threads, slopes.get())
                  : surefit::logistic::sparse_rows(problem, leaf_rows, n_threads, slopes.get());
  }
  return {{sums.loss, sums.slope, sums.curvature, sums.spread, sums.margin}, owned(std::move(slopes), {size})};
}

template <class T, class Index>
void define_csr(nb::module_& m) {
  m.def("logistic_csr_rows", &logistic_csr_rows<T, Index>, nb::arg("data").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("indptr").noconvert(), nb::arg("y").noconvert(), nb::arg("w").none().noconvert(),
        nb::arg("coef").noconvert(), nb::arg("intercept"), nb::arg("summed"), nb::arg("leaf_rows"),
        nb::arg("n_threads"));
}

template <class T>
void define(nb::module_& m) {
  m.def("logistic_pass", &logistic_pass<T>, nb::arg("X").noconvert(), nb::arg("y").noconvert(),
        nb::arg("w").none().noconvert(), nb::arg("coef").noconvert(), nb::arg("intercept").noconvert(),
        nb::arg("single"), nb::arg("curvature"), nb::arg("leaf_rows"), nb::arg("n_threads"));
  m.def("logistic_curvature", &logistic_curvature<T>, nb::arg("X").noconvert(), nb::arg("w").none().noconvert(),
        nb::arg("coef").noconvert(), nb::arg("intercept").noconvert(), nb::arg("leaf_rows"), nb::arg("n_threads"));
}

}  // namespace

void bind_logistic(nb::module_& m) {
  define<float>(m);
  define<double>(m);
  define_csr<float, std::int32_t>(m);
  define_csr<float, std::int64_t>(m);
  define_csr<double, std::int32_t>(m);
  define_csr<double, std::int64_t>(m);
}
