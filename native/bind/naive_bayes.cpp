#include <new>
#include <tuple>

#include "arrays.hpp"
#include "naive_bayes/class_statistics.hpp"

namespace {

using namespace surefit::bind;

using Classes = Vector<std::int32_t>;
using surefit::Seen;

template <class T>
std::unique_ptr<T[]> numbers(std::size_t n) {
  return std::unique_ptr<T[]>(new T[n]);
}

void check(std::size_t n, std::size_t d, const Classes& classes, std::size_t n_classes, const Weights& w,
           std::size_t leaf_rows) {
  if (classes.shape(0) != n) throw std::invalid_argument("X and classes differ in their number of rows");
  if (w && w->shape(0) != n) throw std::invalid_argument("X and w differ in their number of rows");
  some_leaf_rows(leaf_rows);
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
  auto weights = numbers<double>(rows.n_classes), sums = numbers<double>(rows.n_classes * rows.n_features);
  Seen seen;
  {
    nb::gil_scoped_release released;
    seen = surefit::class_sums(rows, threshold ? &*threshold : nullptr, leaf_rows, n_threads, weights.get(), sums.get());
  }
  return {owned(std::move(weights), {rows.n_classes}), owned(std::move(sums), {rows.n_classes, rows.n_features}),
          seen.negative, seen.not_finite};
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
  const std::size_t n = csr_rows(data, indices, indptr);
  check(n, n_features, classes, n_classes, w, leaf_rows);
  const surefit::SparseClassRows<T, Index> rows{data.data(),    indices.data(), indptr.data(), data.shape(0), n,
                                                n_features, classes.data(), n_classes,     w ? w->data() : nullptr};
  return sums_of(rows, threshold, leaf_rows, n_threads);
}

// (weights, weights of features or None, means, what rounding took from them, squares)
template <class T>
std::tuple<Array<double>, std::optional<Array<double>>, Array<double>, Array<double>, Array<double>> class_spread(
    const Matrix<T>& x, const Classes& classes, std::size_t n_classes, const Weights& w, bool missing,
    std::size_t leaf_rows, int n_threads) {
  const std::size_t d = x.shape(1);
  check(x.shape(0), d, classes, n_classes, w, leaf_rows);
  auto weights = numbers<double>(n_classes), own = numbers<double>(missing ? n_classes * d : 0),
       means = numbers<double>(n_classes * d), lows = numbers<double>(n_classes * d),
       squares = numbers<double>(n_classes * d);
  {
    nb::gil_scoped_release released;
    surefit::class_spread(rows_of(x, classes, n_classes, w), leaf_rows, n_threads, weights.get(),
                          missing ? own.get() : nullptr, means.get(), lows.get(), squares.get());
  }
  std::optional<Array<double>> of_features;
  if (missing) of_features = owned(std::move(own), {n_classes, d});
  return {owned(std::move(weights), {n_classes}), of_features, owned(std::move(means), {n_classes, d}),
          owned(std::move(lows), {n_classes, d}), owned(std::move(squares), {n_classes, d})};
}

template <class T>
std::tuple<Array<T>, Array<T>, bool> column_range(const Matrix<T>& x, int n_threads) {
  const std::size_t d = x.shape(1);
  auto lowest = numbers<T>(d), highest = numbers<T>(d);
  Seen seen;
  {
    nb::gil_scoped_release released;
    seen = surefit::column_range(x.data(), x.shape(0), d, n_threads, lowest.get(), highest.get());
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
  check(x.shape(0), width, classes, n_classes, w, leaf_rows);
  auto weights = numbers<double>(n_classes), counts = numbers<double>(n_classes * width);
  {
    nb::gil_scoped_release released;
    surefit::category_counts(rows_of(x, classes, n_classes, w), s, leaf_rows, n_threads, weights.get(), counts.get());
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
