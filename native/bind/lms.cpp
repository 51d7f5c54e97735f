#include <tuple>

#include "arrays.hpp"
#include "linear_model/lms.hpp"

namespace {

using namespace surefit::bind;

// coef, intercept, average, average_b, clock, done
using State = std::tuple<Matrix<double>, Vector<double>, Matrix<double>, Vector<double>, double, double>;
using Result = std::tuple<Array<double>, Array<double>, Array<double>, Array<double>, double, double>;
// eta0, power, period, capped
using Rate = std::tuple<double, double, double, bool>;
// centre, scale, target, intercept
using Frame = std::tuple<Vector<double>, Vector<double>, Vector<double>, bool>;

template <class T>
surefit::LmsRows<T> rows_of(const T* x, std::size_t n, std::size_t d, const Matrix<double>& y,
                            const Vector<std::int64_t>& order, const Weights& w, const Frame& frame, const Rate& rate,
                            double total) {
  const auto& [centre, scale, target, intercept] = frame;
  const std::size_t k = y.shape(1);
  same("Y", y.shape(0), n);
  same("centre", centre.shape(0), d);
  same("scale", scale.shape(0), d);
  same("target", target.shape(0), k);
  if (w) same("w", w->shape(0), order.shape(0));
  rows_exist(order, n);
  const auto& [eta0, power, period, capped] = rate;
  return {x,
          y.data(),
          order.data(),
          w ? w->data() : nullptr,
          order.shape(0),
          d,
          k,
          centre.data(),
          scale.data(),
          target.data(),
          intercept,
          {eta0, power, period, capped},
          total};
}

template <class Rows>
Result run(const Rows& rows, std::size_t k, std::size_t d, const State& state) {
  const auto& [coef, intercept, average, average_b, clock, done] = state;
  same("coef", coef.shape(0), k);
  same("a row of coef", coef.shape(1), d);
  same("intercept", intercept.shape(0), k);
  same("average", average.shape(0), k);
  same("a row of average", average.shape(1), d);
  same("average_b", average_b.shape(0), k);
  std::unique_ptr<double[]> u, b, mean, mean_b;
  surefit::LmsState at;
  {
    nb::gil_scoped_release released;
    u = copy(coef.data(), k * d);
    b = copy(intercept.data(), k);
    mean = copy(average.data(), k * d);
    mean_b = copy(average_b.data(), k);
    at = {u.get(), b.get(), mean.get(), mean_b.get(), clock, done};
    surefit::lms_visit(rows, at);
  }
  return {owned(std::move(u), {k, d}), owned(std::move(b), {k}), owned(std::move(mean), {k, d}),
          owned(std::move(mean_b), {k}), at.clock, at.done};
}

template <class T>
Result lms_visit(const Matrix<T>& x, const Matrix<double>& y, const Vector<std::int64_t>& order, const Weights& w,
                 const Frame& frame, const Rate& rate, double total, const State& state) {
  const auto rows = rows_of(x.data(), x.shape(0), x.shape(1), y, order, w, frame, rate, total);
  return run(rows, y.shape(1), x.shape(1), state);
}

template <class T, class Index>
Result lms_visit_csr(const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr,
                     std::size_t n_features, const Matrix<double>& y, const Vector<std::int64_t>& order,
                     const Weights& w, const Frame& frame, const Rate& rate, double total, const State& state) {
  const std::size_t n = csr_rows(data, indices, indptr);
  const surefit::LmsSparse<T, Index> rows{
      data.data(), indices.data(), indptr.data(),
      rows_of<T>(nullptr, n, n_features, y, order, w, frame, rate, total)};
  return run(rows, y.shape(1), n_features, state);
}

template <class T>
void define(nb::module_& m) {
  m.def("lms_visit", &lms_visit<T>, nb::arg("X").noconvert(), nb::arg("Y").noconvert(), nb::arg("order").noconvert(),
        nb::arg("w").none().noconvert(), nb::arg("frame"), nb::arg("rate"), nb::arg("total"), nb::arg("state"));
}

template <class T, class Index>
void define_csr(nb::module_& m) {
  m.def("lms_visit_csr", &lms_visit_csr<T, Index>, nb::arg("data").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("indptr").noconvert(), nb::arg("n_features"), nb::arg("Y").noconvert(), nb::arg("order").noconvert(),
        nb::arg("w").none().noconvert(), nb::arg("frame"), nb::arg("rate"), nb::arg("total"), nb::arg("state"));
}

}  // namespace

void bind_lms(nb::module_& m) {
  define<float>(m);
  define<double>(m);
  define_csr<float, std::int32_t>(m);
  define_csr<float, std::int64_t>(m);
  define_csr<double, std::int32_t>(m);
  define_csr<double, std::int64_t>(m);
}
