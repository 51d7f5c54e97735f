#include "arrays.hpp"
#include "linear_model/perceptron.hpp"

namespace {

using namespace surefit::bind;

struct Visited {
  Vector<double> y;
  Weights w;
  Vector<std::int64_t> order;
};
struct Penalty {
  double eta, l2, l1;
  bool intercept;
};
struct Models {
  ChangedMatrix coef;
  Changed intercept;
  std::optional<ChangedMatrix> paid;
  std::optional<Changed> due;
  Vector<std::int64_t> planes;
  Vector<double> codes, positive, negative;
};

template <class Rows>
Array<double> window(const Rows& rows, const Visited& visited, const Penalty& penalty, Models& models, int n_threads) {
  const std::size_t k = models.coef.shape(0), n = models.planes.shape(0);
  same("y", visited.y.shape(0), rows.n);
  if (visited.w) same("w", visited.w->shape(0), visited.order.shape(0));
  same("a row of coef", models.coef.shape(1), rows.d);
  same("intercept", models.intercept.shape(0), k);
  if (models.paid.has_value() != (penalty.l1 > 0) || models.due.has_value() != (penalty.l1 > 0)) {
    throw std::invalid_argument("paid and due go with an L1 penalty");
  }
  if (models.paid) {
    same("paid", models.paid->shape(0), k);
    same("a row of paid", models.paid->shape(1), rows.d);
    same("due", models.due->shape(0), k);
  }
  same("codes", models.codes.shape(0), n);
  same("positive", models.positive.shape(0), n);
  same("negative", models.negative.shape(0), n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto plane = models.planes.data()[i];
    if (plane < 0 || static_cast<std::size_t>(plane) >= k) throw std::invalid_argument("planes is out of range");
  }
  rows_exist(visited.order, rows.n);
  auto objective = numbers<double>("objectives", {n});
  {
    nb::gil_scoped_release released;
    surefit::perceptron::window(
        rows,
        {visited.y.data(), data_of(visited.w), visited.order.data(), visited.order.shape(0)},
        {penalty.eta, penalty.l2, penalty.l1, penalty.intercept},
        {models.coef.data(), models.intercept.data(), models.paid ? models.paid->data() : nullptr,
         models.due ? models.due->data() : nullptr, models.planes.data(), models.codes.data(), models.positive.data(),
         models.negative.data(), objective.get(), n},
        n_threads);
  }
  return owned(std::move(objective), {n});
}

template <class T>
void define_dense(nb::module_& m) {
  m.def(
      "perceptron_window",
      [](Matrix<T> x, Vector<double> y, Weights w, Vector<std::int64_t> order, double eta,
         double l2, double l1, bool fit_intercept, ChangedMatrix coef, Changed intercept,
         std::optional<ChangedMatrix> paid, std::optional<Changed> due, Vector<std::int64_t> planes,
         Vector<double> codes, Vector<double> positive, Vector<double> negative, int n_threads) {
        Models models{coef, intercept, paid, due, planes, codes, positive, negative};
        return window(dense(x), {y, w, order}, {eta, l2, l1, fit_intercept}, models, n_threads);
      },
      nb::arg("X").noconvert(), nb::arg("y").noconvert(), nb::arg("w").none().noconvert(), nb::arg("order").noconvert(),
      nb::arg("eta"), nb::arg("l2"), nb::arg("l1"), nb::arg("fit_intercept"), nb::arg("coef").noconvert(),
      nb::arg("intercept").noconvert(), nb::arg("paid").none().noconvert(), nb::arg("due").none().noconvert(),
      nb::arg("planes").noconvert(), nb::arg("codes").noconvert(), nb::arg("positive").noconvert(),
      nb::arg("negative").noconvert(), nb::arg("n_threads"));
}

template <class T, class Index>
void define_csr(nb::module_& m) {
  m.def(
      "perceptron_window_csr",
      [](Vector<T> data, Vector<Index> indices, Vector<Index> indptr, std::size_t n_features, Vector<double> y,
         Weights w, Vector<std::int64_t> order, double eta, double l2, double l1,
         bool fit_intercept, ChangedMatrix coef, Changed intercept, std::optional<ChangedMatrix> paid,
         std::optional<Changed> due, Vector<std::int64_t> planes, Vector<double> codes, Vector<double> positive,
         Vector<double> negative, int n_threads) {
        const auto rows = csr(data, indices, indptr, n_features);
        Models models{coef, intercept, paid, due, planes, codes, positive, negative};
        return window(rows, {y, w, order}, {eta, l2, l1, fit_intercept}, models, n_threads);
      },
      nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("n_features"),
      nb::arg("y").noconvert(), nb::arg("w").none().noconvert(), nb::arg("order").noconvert(), nb::arg("eta"),
      nb::arg("l2"), nb::arg("l1"), nb::arg("fit_intercept"), nb::arg("coef").noconvert(),
      nb::arg("intercept").noconvert(), nb::arg("paid").none().noconvert(), nb::arg("due").none().noconvert(),
      nb::arg("planes").noconvert(), nb::arg("codes").noconvert(), nb::arg("positive").noconvert(),
      nb::arg("negative").noconvert(), nb::arg("n_threads"));
}

}  // namespace

void bind_perceptron(nb::module_& m) {
  define_dense<float>(m);
  define_dense<double>(m);
  define_csr<float, std::int32_t>(m);
  define_csr<float, std::int64_t>(m);
  define_csr<double, std::int32_t>(m);
  define_csr<double, std::int64_t>(m);
}
