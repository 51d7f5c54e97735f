#include <tuple>

#include "arrays.hpp"
#include "linear_model/lms.hpp"

namespace {

using namespace surefit::bind;
namespace lms = surefit::lms;

// coef, intercept, average, average_b, clock, done
using State = std::tuple<Matrix<double>, Vector<double>, Matrix<double>, Vector<double>, double, double>;
using Result = std::tuple<Array<double>, Array<double>, Array<double>, Array<double>, double, double>;
// eta0, power, period, capped
using Rate = std::tuple<double, double, double, bool>;
// center, scale, target, intercept
using Frame = std::tuple<Vector<double>, Vector<double>, Vector<double>, bool>;

template <class X>
lms::Visits<X> visits_of(const X& x, const Matrix<double>& y, const Vector<std::int64_t>& order, const Weights& w,
                         const Frame& frame, const Rate& rate, double total) {
  const auto& [center, scale, target, intercept] = frame;
  const auto& [eta0, power, period, capped] = rate;
  const std::size_t k = y.shape(1);
  same("Y", y.shape(0), x.n);
  same("center", center.shape(0), x.d);
  same("scale", scale.shape(0), x.d);
  same("target", target.shape(0), k);
  if (w) same("w", w->shape(0), order.shape(0));
  rows_exist(order, x.n);
  return {x,
          y.data(),
          order.data(),
          data_of(w),
          order.shape(0),
          k,
          center.data(),
          scale.data(),
          target.data(),
          intercept,
          {eta0, power, period, capped},
          total};
}

template <class X>
Result run(const lms::Visits<X>& rows, const State& state) {
  const std::size_t k = rows.k, d = rows.x.d;
  const auto& [coef, intercept, average, average_b, clock, done] = state;
  same("coef", coef.shape(0), k);
  same("a row of coef", coef.shape(1), d);
  same("intercept", intercept.shape(0), k);
  same("average", average.shape(0), k);
  same("a row of average", average.shape(1), d);
  same("average_b", average_b.shape(0), k);
  std::unique_ptr<double[]> u, b, mean, mean_b;
  lms::State at;
  {
    nb::gil_scoped_release released;
    u = copy(coef.data(), k * d);
    b = copy(intercept.data(), k);
    mean = copy(average.data(), k * d);
    mean_b = copy(average_b.data(), k);
    at = {u.get(), b.get(), mean.get(), mean_b.get(), clock, done};
    lms::visit(rows, at);
  }
  return {owned(std::move(u), {k, d}), owned(std::move(b), {k}), owned(std::move(mean), {k, d}),
          owned(std::move(mean_b), {k}), at.clock, at.done};
}

template <class T>
Result lms_visit(const Matrix<T>& x, const Matrix<double>& y, const Vector<std::int64_t>& order, const Weights& w,
                 const Frame& frame, const Rate& rate, double total, const State& state) {
  return run(visits_of(dense(x), y, order, w, frame, rate, total), state);
}

template <class T, class Index>
Result lms_visit_csr(const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr,
                     std::size_t n_features, const Matrix<double>& y, const Vector<std::int64_t>& order,
                     const Weights& w, const Frame& frame, const Rate& rate, double total, const State& state) {
  return run(visits_of(csr(data, indices, indptr, n_features), y, order, w, frame, rate, total), state);
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
