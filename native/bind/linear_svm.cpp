#include <tuple>

#include "arrays.hpp"
#include "svm/clipped_pass.hpp"
#include "svm/crammer_singer.hpp"
#include "svm/dual_descent.hpp"

namespace {

using namespace surefit::bind;

template <class T>
std::tuple<Array<double>, Array<double>, Array<double>> clipped_pass(
    const Matrix<T>& x, const Vector<double>& sign, const Weights& shift, const Vector<double>& slope,
    const Weights& top, const Matrix<double>& coef, const Vector<double>& intercept, std::size_t leaf_rows,
    int n_threads) {
  const std::size_t n = x.shape(0), d = x.shape(1), m = coef.shape(0);
  if (n == 0) throw std::invalid_argument("X has no rows");
  if (m != 1 && m != 2) throw std::invalid_argument("coef has one row, or two with an earlier point");
  some_leaf_rows(leaf_rows);
  same("a row of coef", coef.shape(1), d);
  same("intercept", intercept.shape(0), m);
  same("sign", sign.shape(0), n);
  same("slope", slope.shape(0), n);
  if (shift) same("shift", shift->shape(0), n);
  if (top) same("top", top->shape(0), n);
  auto slack = numbers<double>("slacks", {n, m}), residual = numbers<double>("residuals", {n});
  auto sums = numbers<double>("sums of rows", {d + 1});
  {
    nb::gil_scoped_release released;
    const surefit::clipped::Problem<T> problem{dense(x),     sign.data(),      data_of(shift), slope.data(),
                                               data_of(top), coef.data(),      intercept.data(), m};
    surefit::clipped::pass(problem, leaf_rows, n_threads, slack.get(), residual.get(), sums.get());
  }
  return {owned(std::move(slack), {n, m}), owned(std::move(residual), {n}), owned(std::move(sums), {d + 1})};
}

template <class T>
void define_pass(nb::module_& m) {
  m.def("clipped_pass", &clipped_pass<T>, nb::arg("X").noconvert(), nb::arg("sign").noconvert(),
        nb::arg("shift").none().noconvert(), nb::arg("slope").noconvert(), nb::arg("top").none().noconvert(),
        nb::arg("coef").noconvert(), nb::arg("intercept").noconvert(), nb::arg("leaf_rows"), nb::arg("n_threads"));
}

// sign, upper, diagonal
using Box = std::tuple<Vector<double>, Vector<double>, Vector<double>>;

template <class X>
std::tuple<std::size_t, double, bool> dual_descent(const X& rows, const Box& box, double scale, double tol,
                                                   std::size_t epochs, std::uint64_t number, Changed a, Changed u) {
  const auto& [sign, upper, diagonal] = box;
  same("sign", sign.shape(0), rows.n);
  same("upper", upper.shape(0), rows.n);
  same("diagonal", diagonal.shape(0), rows.n);
  same("a", a.shape(0), rows.n);
  same("u", u.shape(0), rows.d + 1);
  const surefit::dual_descent::Problem<X> problem{rows, sign.data(), upper.data(), diagonal.data(), scale};
  double *alpha = a.data(), *sum = u.data();
  nb::gil_scoped_release released;
  const auto done = surefit::dual_descent::descend(problem, {tol, epochs, number}, alpha, sum);
  return {done.epochs, done.breach, done.all};
}

template <class X>
double crammer_singer(const X& rows, const Vector<std::int32_t>& classes, const Vector<double>& cost, double scale,
                      double tol, std::size_t epochs, std::uint64_t number, ChangedMatrix A, ChangedMatrix W) {
  const std::size_t k = A.shape(1);
  same("classes", classes.shape(0), rows.n);
  same("cost", cost.shape(0), rows.n);
  same("A", A.shape(0), rows.n);
  same("W", W.shape(0), rows.d + 1);
  same("a row of W", W.shape(1), k);
  for (std::size_t i = 0; i < rows.n; ++i) {
    if (classes.data()[i] < 0 || static_cast<std::size_t>(classes.data()[i]) >= k) {
      throw std::invalid_argument("classes hold a code that is no class, in row " + std::to_string(i));
    }
  }
  const surefit::crammer_singer::Problem<X> problem{rows, classes.data(), k, cost.data(), scale};
  double *a = A.data(), *w = W.data();
  nb::gil_scoped_release released;
  return surefit::crammer_singer::descend(problem, tol, epochs, number, a, w);
}

template <class T>
void define_dense(nb::module_& m) {
  using X = surefit::DenseRows<T>;
  m.def(
      "dual_descent",
      [](const Matrix<T>& x, const Box& box, double scale, double tol, std::size_t epochs, std::uint64_t number,
         Changed a, Changed u) { return dual_descent<X>(dense(x), box, scale, tol, epochs, number, a, u); },
      nb::arg("X").noconvert(), nb::arg("box"), nb::arg("scale"), nb::arg("tol"), nb::arg("epochs"), nb::arg("number"),
      nb::arg("a").noconvert(), nb::arg("u").noconvert());
  m.def(
      "crammer_singer",
      [](const Matrix<T>& x, const Vector<std::int32_t>& classes, const Vector<double>& cost, double scale, double tol,
         std::size_t epochs, std::uint64_t number, ChangedMatrix A, ChangedMatrix W) {
        return crammer_singer<X>(dense(x), classes, cost, scale, tol, epochs, number, A, W);
      },
      nb::arg("X").noconvert(), nb::arg("classes").noconvert(), nb::arg("cost").noconvert(), nb::arg("scale"),
      nb::arg("tol"), nb::arg("epochs"), nb::arg("number"), nb::arg("A").noconvert(), nb::arg("W").noconvert());
}

template <class T, class Index>
void define_csr(nb::module_& m) {
  using X = surefit::CsrRows<T, Index>;
  m.def(
      "dual_descent_csr",
      [](const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr, std::size_t n_features,
         const Box& box, double scale, double tol, std::size_t epochs, std::uint64_t number, Changed a, Changed u) {
        const X rows = csr(data, indices, indptr, n_features);
        return dual_descent<X>(rows, box, scale, tol, epochs, number, a, u);
      },
      nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("n_features"),
      nb::arg("box"), nb::arg("scale"), nb::arg("tol"), nb::arg("epochs"), nb::arg("number"),
      nb::arg("a").noconvert(), nb::arg("u").noconvert());
  m.def(
      "crammer_singer_csr",
      [](const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr, std::size_t n_features,
         const Vector<std::int32_t>& classes, const Vector<double>& cost, double scale, double tol, std::size_t epochs,
         std::uint64_t number, ChangedMatrix A, ChangedMatrix W) {
        const X rows = csr(data, indices, indptr, n_features);
        return crammer_singer<X>(rows, classes, cost, scale, tol, epochs, number, A, W);
      },
      nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("n_features"),
      nb::arg("classes").noconvert(), nb::arg("cost").noconvert(), nb::arg("scale"), nb::arg("tol"), nb::arg("epochs"),
      nb::arg("number"), nb::arg("A").noconvert(), nb::arg("W").noconvert());
}

}  // namespace

void bind_linear_svm(nb::module_& m) {
  define_pass<float>(m);
  define_pass<double>(m);
  define_dense<float>(m);
  define_dense<double>(m);
  define_csr<float, std::int32_t>(m);
  define_csr<float, std::int64_t>(m);
  define_csr<double, std::int32_t>(m);
  define_csr<double, std::int64_t>(m);
}
