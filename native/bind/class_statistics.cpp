#include <tuple>

#include "arrays.hpp"
#include "summaries/class_statistics.hpp"

namespace {

using namespace surefit::bind;
namespace stats = surefit::class_statistics;

using Classes = Vector<std::int32_t>;
using stats::Seen;

template <class X>
surefit::LabelledRows<X> labelled(const X& x, const Classes& classes, std::size_t n_classes, const Weights& w,
                                  std::size_t leaf_rows) {
  same("classes", classes.shape(0), x.n);
  if (w) same("w", w->shape(0), x.n);
  some_leaf_rows(leaf_rows);
  return {x, classes.data(), n_classes, data_of(w)};
}

using Sums = std::tuple<Array<double>, Array<double>, bool, bool>;

template <class Rows>
Sums sums_of(const Rows& rows, const std::optional<double>& threshold, std::size_t leaf_rows, int n_threads) {
  const std::size_t C = rows.n_classes, d = rows.x.d;
  auto weights = numbers<double>("weights of classes", {C}), sums = numbers<double>("sums of classes", {C, d});
  Seen seen;
  {
    nb::gil_scoped_release released;
    seen = stats::class_sums(rows, threshold ? &*threshold : nullptr, leaf_rows, n_threads, weights.get(), sums.get());
  }
  return {owned(std::move(weights), {C}), owned(std::move(sums), {C, d}), seen.negative, seen.not_finite};
}

template <class T>
Sums class_sums(const Matrix<T>& x, const Classes& classes, std::size_t n_classes, const Weights& w,
                const std::optional<double>& threshold, std::size_t leaf_rows, int n_threads) {
  return sums_of(labelled(dense(x), classes, n_classes, w, leaf_rows), threshold, leaf_rows, n_threads);
}

template <class T, class Index>
Sums class_sums_csr(const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr,
                    std::size_t n_features, const Classes& classes, std::size_t n_classes, const Weights& w,
                    const std::optional<double>& threshold, std::size_t leaf_rows, int n_threads) {
  const auto rows = csr(data, indices, indptr, n_features);
  return sums_of(labelled(rows, classes, n_classes, w, leaf_rows), threshold, leaf_rows, n_threads);
}

// (weights, weights of features or None, means, what rounding took from them, squares)
template <class T>
std::tuple<Array<double>, std::optional<Array<double>>, Array<double>, Array<double>, Array<double>> class_spread(
    const Matrix<T>& x, const Classes& classes, std::size_t n_classes, const Weights& w, bool missing,
    std::size_t leaf_rows, int n_threads) {
  const std::size_t d = x.shape(1);
  const auto rows = labelled(dense(x), classes, n_classes, w, leaf_rows);
  const char* what = "means and squares of classes";
  auto weights = numbers<double>(what, {n_classes}), own = numbers<double>(what, {missing ? n_classes : 0, d}),
       means = numbers<double>(what, {n_classes, d}), lows = numbers<double>(what, {n_classes, d}),
       squares = numbers<double>(what, {n_classes, d});
  {
    nb::gil_scoped_release released;
    stats::class_spread(rows, leaf_rows, n_threads, weights.get(), missing ? own.get() : nullptr, means.get(),
                        lows.get(), squares.get());
  }
  std::optional<Array<double>> of_features;
  if (missing) of_features = owned(std::move(own), {n_classes, d});
  return {owned(std::move(weights), {n_classes}), of_features, owned(std::move(means), {n_classes, d}),
          owned(std::move(lows), {n_classes, d}), owned(std::move(squares), {n_classes, d})};
}

template <class T>
std::tuple<Array<T>, Array<T>, bool> column_range(const Matrix<T>& x, int n_threads) {
  const std::size_t d = x.shape(1);
  auto lowest = numbers<T>("the range", {d}), highest = numbers<T>("the range", {d});
  Seen seen;
  {
    nb::gil_scoped_release released;
    seen = stats::column_range(dense(x), n_threads, lowest.get(), highest.get());
  }
  return {owned(std::move(lowest), {d}), owned(std::move(highest), {d}), seen.not_finite};
}

template <class T>
std::tuple<Array<double>, Array<double>> category_counts(const Matrix<T>& x, const Classes& classes,
                                                         std::size_t n_classes, const Weights& w,
                                                         const Vector<std::int64_t>& starts, std::size_t leaf_rows,
                                                         int n_threads) {
  const std::size_t d = x.shape(1);
  if (starts.shape(0) != d + 1) throw std::invalid_argument("starts must hold one number more than columns");
  const std::int64_t* s = starts.data();
  if (s[0] != 0) throw std::invalid_argument("starts must begin with 0");
  for (std::size_t j = 0; j < d; ++j) {
    if (s[j + 1] < s[j]) throw std::invalid_argument("starts must not fall");
  }
  const auto width = static_cast<std::size_t>(s[d]);
  const auto rows = labelled(dense(x), classes, n_classes, w, leaf_rows);
  auto weights = numbers<double>("weights of classes", {n_classes});
  auto counts = numbers<double>("counts of categories", {n_classes, width});
  {
    nb::gil_scoped_release released;
    stats::category_counts(rows, s, leaf_rows, n_threads, weights.get(), counts.get());
  }
  return {owned(std::move(weights), {n_classes}), owned(std::move(counts), {n_classes, width})};
}

template <class T>
void define(nb::module_& m) {
  m.def("class_sums", &class_sums<T>, nb::arg("X").noconvert(), nb::arg("classes").noconvert(), nb::arg("n_classes"),
        nb::arg("w").none().noconvert(), nb::arg("threshold").none(), nb::arg("leaf_rows"), nb::arg("n_threads"));
  m.def("class_spread", &class_spread<T>, nb::arg("X").noconvert(), nb::arg("classes").noconvert(),
        nb::arg("n_classes"), nb::arg("w").none().noconvert(), nb::arg("missing"), nb::arg("leaf_rows"),
        nb::arg("n_threads"));
  m.def("column_range", &column_range<T>, nb::arg("X").noconvert(), nb::arg("n_threads"));
  m.def("category_counts", &category_counts<T>, nb::arg("X").noconvert(), nb::arg("classes").noconvert(),
        nb::arg("n_classes"), nb::arg("w").none().noconvert(), nb::arg("starts").noconvert(), nb::arg("leaf_rows"),
        nb::arg("n_threads"));
}

template <class T, class Index>
void define_csr(nb::module_& m) {
  m.def("class_sums_csr", &class_sums_csr<T, Index>, nb::arg("data").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("indptr").noconvert(), nb::arg("n_features"), nb::arg("classes").noconvert(), nb::arg("n_classes"),
        nb::arg("w").none().noconvert(), nb::arg("threshold").none(), nb::arg("leaf_rows"), nb::arg("n_threads"));
}

}  // namespace

void bind_class_statistics(nb::module_& m) {
  define<float>(m);
  define<double>(m);
  define<std::int32_t>(m);
  define<std::int64_t>(m);
  define_csr<float, std::int32_t>(m);
  define_csr<float, std::int64_t>(m);
  define_csr<double, std::int32_t>(m);
  define_csr<double, std::int64_t>(m);
}
