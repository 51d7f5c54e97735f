#include <tuple>

#include "arrays.hpp"
#include "summaries/canonical.hpp"
#include "summaries/class_moments.hpp"
#include "summaries/moments.hpp"
#include "summaries/row_products.hpp"

namespace {

using namespace surefit::bind;

using Targets = std::optional<Matrix<double>>;
using Moments = std::tuple<double, Array<double>, Array<double>, Array<double>>;

template <class X>
Moments moments_of(const X& x, const Targets& y, const Weights& w, std::size_t leaf_rows, int n_threads) {
  if (y) same("Y", y->shape(0), x.n);
  if (w) same("w", w->shape(0), x.n);
  some_leaf_rows(leaf_rows);
  const std::size_t n_targets = y ? y->shape(1) : 0;
  count("moments", {x.d, x.d});
  const std::size_t p = x.d + n_targets;
  const surefit::moments::TargetRows<X> rows{x, y ? y->data() : nullptr, n_targets, data_of(w)};
  auto mean = numbers<double>("means", {p}), low = numbers<double>("means", {p}),
       products = numbers<double>("moments", {p, p});
  double weight;
  {
    nb::gil_scoped_release released;
    weight = surefit::moments::fold(rows, leaf_rows, n_threads, mean.get(), low.get(), products.get());
  }
  return {weight, owned(std::move(mean), {p}), owned(std::move(low), {p}), owned(std::move(products), {p, p})};
}

template <class T>
Moments moments(const Matrix<T>& x, const Targets& y, const Weights& w, std::size_t leaf_rows, int n_threads) {
  return moments_of(dense(x), y, w, leaf_rows, n_threads);
}

template <class T, class Index>
Moments moments_csr(const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr,
                    std::size_t n_features, const Targets& y, const Weights& w, std::size_t leaf_rows, int n_threads) {
  return moments_of(csr(data, indices, indptr, n_features), y, w, leaf_rows, n_threads);
}

using ClassMoments = std::tuple<Array<double>, Array<std::int64_t>, Array<double>, Array<double>>;

template <class T>
ClassMoments class_moments(const Matrix<T>& x, const Vector<std::int32_t>& classes, std::size_t n_classes,
                           const Weights& w, bool pooled, std::size_t leaf_rows, int n_threads) {
  const std::size_t n = x.shape(0), d = x.shape(1);
  same("classes", classes.shape(0), n);
  if (w) same("w", w->shape(0), n);
  some_leaf_rows(leaf_rows);
  auto weights = numbers<double>("weights of classes", {n_classes});
  auto counts = numbers<std::int64_t>("counts of classes", {n_classes});
  auto means = numbers<double>("means of classes", {n_classes, d});
  auto products = numbers<double>("moments of classes", {pooled ? 1 : n_classes, d, d});
  {
    nb::gil_scoped_release released;
    const surefit::LabelledRows<surefit::DenseRows<T>> rows{dense(x), classes.data(), n_classes, data_of(w)};
    surefit::class_moments::fold(rows, pooled, leaf_rows, n_threads,
                                 {weights.get(), counts.get(), means.get(), products.get()});
  }
  Array<double> S = pooled ? owned(std::move(products), {d, d}) : owned(std::move(products), {n_classes, d, d});
  return {owned(std::move(weights), {n_classes}), owned(std::move(counts), {n_classes}),
          owned(std::move(means), {n_classes, d}), S};
}

template <class T, class Index>
Array<double> csr_scores(const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr,
                         const Matrix<double>& w, const Vector<double>& b, int n_threads) {
  const auto rows = csr_ends(data, indices, indptr, w.shape(0));
  const std::size_t m = w.shape(1);
  same("b", b.shape(0), m);
  auto scores = numbers<double>("scores", {rows.n, m});
  {
    nb::gil_scoped_release released;
    surefit::row_products::scores(rows, w.data(), b.data(), m, n_threads, scores.get());
  }
  return owned(std::move(scores), {rows.n, m});
}

template <class T, class Index>
Array<double> csc_sums(const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr,
                       const Matrix<double>& r, std::size_t leaf_rows, int n_threads) {
  const auto columns = csr_ends(data, indices, indptr, r.shape(1));
  const std::size_t m = r.shape(0);
  auto sums = numbers<double>("sums of columns", {m, columns.n});
  {
    nb::gil_scoped_release released;
    surefit::row_products::column_sums(columns, r.data(), m, leaf_rows, n_threads, sums.get());
  }
  return owned(std::move(sums), {m, columns.n});
}

// Σ w t, Σ w t² of t = scale · x
template <class T, class Index>
std::tuple<Array<double>, Array<double>> csr_column_moments(const Vector<T>& data, const Vector<Index>& indices,
                                                            const Vector<Index>& indptr, std::size_t n_features,
                                                            const Weights& w, double scale, std::size_t leaf_rows,
                                                            int n_threads) {
  const auto rows = csr_ends(data, indices, indptr, n_features);
  if (rows.n == 0) throw std::invalid_argument("CSR: there must be a row");
  if (w) same("w", w->shape(0), rows.n);
  some_leaf_rows(leaf_rows);
  auto sums = numbers<double>("sums of columns", {rows.d}), squares = numbers<double>("sums of columns", {rows.d});
  {
    nb::gil_scoped_release released;
    surefit::row_products::column_moments(rows, data_of(w), scale, leaf_rows, n_threads, sums.get(), squares.get());
  }
  return {owned(std::move(sums), {rows.d}), owned(std::move(squares), {rows.d})};
}

// Σ w z x, Σ w z, Σ w z²
template <class T, class Index>
std::tuple<Array<double>, double, double> csr_normal_product(const Vector<T>& data, const Vector<Index>& indices,
                                                             const Vector<Index>& indptr, const Vector<double>& v,
                                                             double shift, const Weights& c, const Weights& w,
                                                             int n_threads) {
  const auto rows = csr_ends(data, indices, indptr, v.shape(0));
  if (rows.n == 0) throw std::invalid_argument("CSR: there must be a row");
  if (c) same("c", c->shape(0), rows.n);
  if (w) same("w", w->shape(0), rows.n);
  auto sums = numbers<double>("sums of columns", {rows.d});
  surefit::row_products::NormalSums all{};
  {
    nb::gil_scoped_release released;
    all = surefit::row_products::normal_product(rows, v.data(), shift, data_of(c), data_of(w), n_threads, sums.get());
  }
  return {owned(std::move(sums), {rows.d}), all.total, all.squares};
}

template <class X>
Array<std::uint64_t> hashes(const X& rows, int n_threads) {
  auto out = numbers<std::uint64_t>("hashes", {rows.n});
  {
    nb::gil_scoped_release released;
    surefit::canonical::hash_rows(rows, n_threads, out.get());
  }
  return owned(std::move(out), {rows.n});
}

Array<std::int64_t> order_by_hash(const Vector<std::uint64_t>& hash) {
  auto order = numbers<std::int64_t>("the order", {hash.shape(0)});
  {
    nb::gil_scoped_release released;
    surefit::canonical::order_by_hash(hash.data(), hash.shape(0), order.get());
  }
  return owned(std::move(order), {hash.shape(0)});
}

template <class T>
void define(nb::module_& m) {
  m.def("moments", &moments<T>, nb::arg("X").noconvert(), nb::arg("Y").none().noconvert(),
        nb::arg("w").none().noconvert(), nb::arg("leaf_rows"), nb::arg("n_threads"));
  m.def("class_moments", &class_moments<T>, nb::arg("X").noconvert(), nb::arg("classes").noconvert(),
        nb::arg("n_classes"), nb::arg("w").none().noconvert(), nb::arg("pooled"), nb::arg("leaf_rows"),
        nb::arg("n_threads"));
  m.def(
      "hash_rows", [](const Matrix<T>& x, int n_threads) { return hashes(dense(x), n_threads); },
      nb::arg("X").noconvert(), nb::arg("n_threads"));
}

template <class T, class Index>
void define_csr(nb::module_& m) {
  m.def("moments_csr", &moments_csr<T, Index>, nb::arg("data").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("indptr").noconvert(), nb::arg("n_features"), nb::arg("Y").none().noconvert(),
        nb::arg("w").none().noconvert(), nb::arg("leaf_rows"), nb::arg("n_threads"));
  m.def("csr_scores", &csr_scores<T, Index>, nb::arg("data").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("indptr").noconvert(), nb::arg("w").noconvert(), nb::arg("b").noconvert(), nb::arg("n_threads"));
  m.def("csr_column_moments", &csr_column_moments<T, Index>, nb::arg("data").noconvert(),
        nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("n_features"),
        nb::arg("w").none().noconvert(), nb::arg("scale"), nb::arg("leaf_rows"), nb::arg("n_threads"));
  m.def("csr_normal_product", &csr_normal_product<T, Index>, nb::arg("data").noconvert(),
        nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(), nb::arg("v").noconvert(), nb::arg("shift"),
        nb::arg("c").none().noconvert(), nb::arg("w").none().noconvert(), nb::arg("n_threads"));
  m.def("csc_sums", &csc_sums<T, Index>, nb::arg("data").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("indptr").noconvert(), nb::arg("r").noconvert(), nb::arg("leaf_rows"), nb::arg("n_threads"));
  m.def(
      "hash_rows_csr",
      [](const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr, std::size_t n_features,
         int n_threads) { return hashes(csr(data, indices, indptr, n_features), n_threads); },
      nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
      nb::arg("n_features"), nb::arg("n_threads"));
}

}  // namespace

void bind_summaries(nb::module_& m) {
  m.def("order_by_hash", &order_by_hash, nb::arg("hash").noconvert());
  define<float>(m);
  define<double>(m);
  define_csr<float, std::int32_t>(m);
  define_csr<float, std::int64_t>(m);
  define_csr<double, std::int32_t>(m);
  define_csr<double, std::int64_t>(m);
}
