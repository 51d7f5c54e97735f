#include <new>
#include <tuple>

#include "arrays.hpp"
#include "engine/csr_products.hpp"
#include "engine/finite.hpp"
#include "engine/moments.hpp"
#include "engine/permutation.hpp"

namespace {

using namespace surefit::bind;

using Targets = std::optional<Matrix<double>>;
using Result = std::tuple<double, Array<double>, Array<double>, Array<double>>;

void check_sizes(std::size_t n, const Targets& y, const Weights& w, std::size_t leaf_rows) {
  if (y) same("Y", y->shape(0), n);
  if (w) same("w", w->shape(0), n);
  some_leaf_rows(leaf_rows);
}

template <class Rows>
Result compute(const Rows& rows, std::size_t leaf_rows, int n_threads) {
  const std::size_t p = rows.n_features + rows.n_targets;
  if (p > (std::size_t{1} << 29)) throw std::bad_alloc();
  std::unique_ptr<double[]> mean, low, products;
  double weight;
  {
    nb::gil_scoped_release released;
    mean.reset(new double[p]);
    low.reset(new double[p]);
    products.reset(new double[p * p]);
    weight = surefit::moments(rows, leaf_rows, n_threads, mean.get(), low.get(), products.get());
  }
  return {weight, owned(std::move(mean), {p}), owned(std::move(low), {p}), owned(std::move(products), {p, p})};
}

template <class T>
Result moments(const Matrix<T>& x, const Targets& y, const Weights& w, std::size_t leaf_rows, int n_threads) {
  check_sizes(x.shape(0), y, w, leaf_rows);
  const surefit::DenseRows<T> rows{x.data(),
                                   x.shape(0),
                                   x.shape(1),
                                   y ? y->data() : nullptr,
                                   y ? y->shape(1) : 0,
                                   w ? w->data() : nullptr};
  return compute(rows, leaf_rows, n_threads);
}

template <class T, class Index>
Result moments_csr(const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr,
                   std::size_t n_features, const Targets& y, const Weights& w, std::size_t leaf_rows, int n_threads) {
  if (indptr.shape(0) == 0) throw std::invalid_argument("indptr is empty; it must hold one number more than rows");
  same("indices", indices.shape(0), data.shape(0));
  const std::size_t n = indptr.shape(0) - 1;
  check_sizes(n, y, w, leaf_rows);
  const surefit::SparseRows<T, Index> rows{data.data(),
                                           indices.data(),
                                           indptr.data(),
                                           data.shape(0),
                                           n,
                                           n_features,
                                           y ? y->data() : nullptr,
                                           y ? y->shape(1) : 0,
                                           w ? w->data() : nullptr};
  return compute(rows, leaf_rows, n_threads);
}

template <class T, class Index>
surefit::Compressed<T, Index> compressed(const Vector<T>& data, const Vector<Index>& indices,
                                         const Vector<Index>& indptr, std::size_t n_inner) {
  return {data.data(), indices.data(), indptr.data(), csr_rows(data, indices, indptr), n_inner};
}

template <class T, class Index>
Array<double> csr_scores(const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr,
                         const Matrix<double>& w, const Vector<double>& b, int n_threads) {
  const auto rows = compressed(data, indices, indptr, w.shape(0));
  const std::size_t m = w.shape(1);
  same("b", b.shape(0), m);
  std::unique_ptr<double[]> scores;
  {
    nb::gil_scoped_release released;
    scores.reset(new double[rows.n_outer * m]);
    surefit::csr_scores(rows, w.data(), b.data(), m, n_threads, scores.get());
  }
  return owned(std::move(scores), {rows.n_outer, m});
}

template <class T, class Index>
Array<double> csc_sums(const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr,
                       const Matrix<double>& r, std::size_t leaf_rows, int n_threads) {
  const auto columns = compressed(data, indices, indptr, r.shape(1));
  const std::size_t m = r.shape(0);
  std::unique_ptr<double[]> sums;
  {
    nb::gil_scoped_release released;
    sums.reset(new double[m * columns.n_outer]);
    surefit::csc_sums(columns, r.data(), m, leaf_rows, n_threads, sums.get());
  }
  return owned(std::move(sums), {m, columns.n_outer});
}

template <class T>
bool all_finite(const Vector<T>& x, int n_threads) {
  nb::gil_scoped_release released;
  return surefit::all_finite(x.data(), x.shape(0), n_threads);
}

Array<std::int64_t> permutation(std::size_t n, std::uint64_t seed, std::uint64_t epoch, std::uint64_t window) {
  if (n > (std::size_t{1} << 40)) throw std::bad_alloc();
  std::unique_ptr<std::int64_t[]> out(new std::int64_t[n]);
  surefit::permutation(n, seed, epoch, window, out.get());
  return owned(std::move(out), {n});
}

template <class T>
void define(nb::module_& m) {
  m.def("all_finite", &all_finite<T>, nb::arg("x").noconvert(), nb::arg("n_threads"));
  m.def("moments", &moments<T>, nb::arg("X").noconvert(), nb::arg("Y").none().noconvert(),
        nb::arg("w").none().noconvert(), nb::arg("leaf_rows"), nb::arg("n_threads"));
}

template <class T, class Index>
void define_csr(nb::module_& m) {
  m.def("moments_csr", &moments_csr<T, Index>, nb::arg("data").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("indptr").noconvert(), nb::arg("n_features"), nb::arg("Y").none().noconvert(),
        nb::arg("w").none().noconvert(), nb::arg("leaf_rows"), nb::arg("n_threads"));
  m.def("csr_scores", &csr_scores<T, Index>, nb::arg("data").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("indptr").noconvert(), nb::arg("w").noconvert(), nb::arg("b").noconvert(), nb::arg("n_threads"));
  m.def("csc_sums", &csc_sums<T, Index>, nb::arg("data").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("indptr").noconvert(), nb::arg("r").noconvert(), nb::arg("leaf_rows"), nb::arg("n_threads"));
}

}  // namespace

void bind_engine(nb::module_& m) {
  m.def("permutation", &permutation, nb::arg("n"), nb::arg("seed"), nb::arg("epoch"), nb::arg("window"));
  define<float>(m);
  define<double>(m);
  define_csr<float, std::int32_t>(m);
  define_csr<float, std::int64_t>(m);
  define_csr<double, std::int32_t>(m);
  define_csr<double, std::int64_t>(m);
}
