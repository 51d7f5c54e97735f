#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "naive_bayes/class_statistics.hpp"

namespace nb = nanobind;

namespace {

template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array = nb::ndarray<nb::numpy, T>;
using Classes = Vector<std::int32_t>;
using Weights = std::optional<Vector<double>>;
using surefit::Seen;

template <class T>
struct Numbers {
  std::unique_ptr<T[]> values;
  explicit Numbers(std::size_t n) : values(new T[n]) {}
  T* get() { return values.get(); }
  Array<T> give(std::initializer_list<std::size_t> shape) {
    T* p = values.get();
    nb::capsule owner(p, [](void* q) noexcept { delete[] static_cast<T*>(q); });
    values.release();
    return Array<T>(p, shape, owner);
  }
};

void check(std::size_t n, std::size_t d, const Classes& classes, std::size_t n_classes, const Weights& w,
           std::size_t leaf_rows) {
  if (classes.shape(0) != n) throw std::invalid_argument("X and classes differ in their number of rows");
  if (w && w->shape(0) != n) throw std::invalid_argument("X and w differ in their number of rows");
  if (leaf_rows == 0) throw std::invalid_argument("leaf_rows must be at least 1");
  constexpr std::size_t most = std::size_t{1} << 48;
  if (n_classes > most || (d > 0 && n_classes > most / d)) throw std::bad_alloc();
}

template <class T>
surefit::ClassRows<T> rows_of(const Matrix<T>& x, const Classes& classes, std::size_t n_classes, const Weights& w) {
  return {x.data(), x.shape(0), x.shape(1), classes.data(), n_classes, w ? w->data() : nullptr};
}

using Sums = std::tuple<Array<double>, Array<double>, bool, bool>;

template <class Rows>
Sums sums_of(const Rows& rows, const std::optional<double>& threshold, std::size_t leaf_rows, int n_threads) {
  Numbers<double> weights(rows.n_classes), sums(rows.n_classes * rows.n_features);
  Seen seen;
  {
    nb::gil_scoped_release released;
    seen = surefit::class_sums(rows, threshold ? &*threshold : nullptr, leaf_rows, n_threads, weights.get(), sums.get());
  }
  return {weights.give({rows.n_classes}), sums.give({rows.n_classes, rows.n_features}), seen.negative, seen.not_finite};
}

template <class T>
Sums class_sums(const Matrix<T>& x, const Classes& classes, std::size_t n_classes, const Weights& w,
                const std::optional<double>& threshold, std::size_t leaf_rows, int n_threads) {
  check(x.shape(0), x.shape(1), classes, n_classes, w, leaf_rows);
  return sums_of(rows_of(x, classes, n_classes, w), threshold, leaf_rows, n_threads);
}

template <class T, class Index>
Sums class_sums_csr(const Vector<T>& data, const Vector<Index>& indices, const Vector<Index>& indptr,
                    std::size_t n_features, const Classes& classes, std::size_t n_classes, const Weights& w,
                    const std::optional<double>& threshold, std::size_t leaf_rows, int n_threads) {
  if (indptr.shape(0) == 0) throw std::invalid_argument("indptr is empty; it must hold one number more than rows");
  if (data.shape(0) != indices.shape(0)) throw std::invalid_argument("data and indices differ in length");
  const std::size_t n = indptr.shape(0) - 1;
  check(n, n_features, classes, n_classes, w, leaf_rows);
  const surefit::SparseClassRows<T, Index> rows{data.data(),    indices.data(), indptr.data(), data.shape(0), n,
                                                n_features, classes.data(), n_classes,     w ? w->data() : nullptr};
  return sums_of(rows, threshold, leaf_rows, n_threads);
}

// (weights, weights of features or None, means, squares)
template <class T>
std::tuple<Array<double>, std::optional<Array<double>>, Array<double>, Array<double>> class_spread(
    const Matrix<T>& x, const Classes& classes, std::size_t n_classes, const Weights& w, bool missing,
    std::size_t leaf_rows, int n_threads) {
  const std::size_t d = x.shape(1);
  check(x.shape(0), d, classes, n_classes, w, leaf_rows);
  Numbers<double> weights(n_classes), own(missing ? n_classes * d : 0), means(n_classes * d), squares(n_classes * d);
  {
    nb::gil_scoped_release released;
    surefit::class_spread(rows_of(x, classes, n_classes, w), leaf_rows, n_threads, weights.get(),
                          missing ? own.get() : nullptr, means.get(), squares.get());
  }
  std::optional<Array<double>> of_features;
  if (missing) of_features = own.give({n_classes, d});
  return {weights.give({n_classes}), of_features, means.give({n_classes, d}), squares.give({n_classes, d})};
}

template <class T>
std::tuple<Array<T>, Array<T>, bool> column_range(const Matrix<T>& x, int n_threads) {
  const std::size_t d = x.shape(1);
  Numbers<T> lowest(d), highest(d);
  Seen seen;
  {
    nb::gil_scoped_release released;
    seen = surefit::column_range(x.data(), x.shape(0), d, n_threads, lowest.get(), highest.get());
  }
  return {lowest.give({d}), highest.give({d}), seen.not_finite};
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
  check(x.shape(0), width, classes, n_classes, w, leaf_rows);
  Numbers<double> weights(n_classes), counts(n_classes * width);
  {
    nb::gil_scoped_release released;
    surefit::category_counts(rows_of(x, classes, n_classes, w), s, leaf_rows, n_threads, weights.get(), counts.get());
  }
  return {weights.give({n_classes}), counts.give({n_classes, width})};
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

void bind_naive_bayes(nb::module_& m) {
  define<float>(m);
  define<double>(m);
  define<std::int32_t>(m);
  define<std::int64_t>(m);
  define_csr<float, std::int32_t>(m);
  define_csr<float, std::int64_t>(m);
  define_csr<double, std::int32_t>(m);
  define_csr<double, std::int64_t>(m);
}
