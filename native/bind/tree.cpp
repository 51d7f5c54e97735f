#include <nanobind/stl/vector.h>

#include <span>
#include <vector>

#include "arrays.hpp"
#include "tree/predict.hpp"
#include "tree/pruning.hpp"

namespace {

using namespace surefit::bind;
using surefit::trees::Arrays;

// The arrays of a tree, kept alive and read where they are.
struct TreeArrays {
  Vector<std::int32_t> left, right, feature, category_row;
  Vector<double> threshold;
  Vector<std::uint8_t> missing_left;
  Matrix<std::uint64_t> sets;
  Matrix<double> value;
  Arrays arrays;

  TreeArrays(std::size_t n_features, Vector<std::int32_t> left_, Vector<std::int32_t> right_,
             Vector<std::int32_t> feature_, Vector<double> threshold_, Vector<std::uint8_t> missing_left_,
             Vector<std::int32_t> category_row_, Matrix<std::uint64_t> sets_, Matrix<double> value_)
      : left(left_), right(right_), feature(feature_), category_row(category_row_), threshold(threshold_),
        missing_left(missing_left_), sets(sets_), value(value_) {
    const std::size_t n = left.shape(0);
    same("children_right", right.shape(0), n);
    same("feature", feature.shape(0), n);
    same("threshold", threshold.shape(0), n);
    same("missing_go_to_left", missing_left.shape(0), n);
    same("category_row", category_row.shape(0), n);
    same("value", value.shape(0), n);
    if (sets.shape(0) > 0) same("a row of categories", sets.shape(1), 4);
    arrays = {n,           n_features,          sets.shape(0),    value.shape(1),      left.data(), right.data(),
              feature.data(), category_row.data(), threshold.data(), missing_left.data(), sets.data(), value.data()};
  }
};

std::vector<Arrays> all(const nb::list& trees) {
  std::vector<Arrays> found;
  found.reserve(trees.size());
  for (nb::handle tree : trees) found.push_back(nb::cast<const TreeArrays&>(tree).arrays);
  return found;
}

template <class R>
Array<std::int64_t> leaves(const nb::list& trees, const R& rows, int n_threads) {
  const std::vector<Arrays> arrays = all(trees);
  auto out = numbers<std::int64_t>("the leaves", {rows.n, arrays.size()});
  {
    nb::gil_scoped_release release;
    surefit::trees::apply<R>(arrays, rows, n_threads, out.get());
  }
  return owned(std::move(out), {rows.n, arrays.size()});
}

template <class R>
Array<double> total(const nb::list& trees, const R& rows, int n_threads) {
  const std::vector<Arrays> arrays = all(trees);
  const std::size_t width = arrays.empty() ? 0 : arrays[0].width;
  auto out = numbers<double>("the sums", {rows.n, width});
  {
    nb::gil_scoped_release release;
    surefit::trees::add_up<R>(arrays, rows, n_threads, out.get());
  }
  return owned(std::move(out), {rows.n, width});
}

template <class T>
void define_dense(nb::module_& m) {
  m.def("tree_leaves", [](const nb::list& t, const Matrix<T>& X, int n) { return leaves(t, dense(X), n); },
        nb::arg("trees"), nb::arg("X").noconvert(), nb::arg("n_threads"));
  m.def("tree_sums", [](const nb::list& t, const Matrix<T>& X, int n) { return total(t, dense(X), n); },
        nb::arg("trees"), nb::arg("X").noconvert(), nb::arg("n_threads"));
}

template <class T, class I>
void define_csr(nb::module_& m) {
  m.def("tree_leaves_csr",
        [](const nb::list& t, const Vector<T>& data, const Vector<I>& indices, const Vector<I>& indptr, std::size_t d,
           int n) { return leaves(t, csr(data, indices, indptr, d), n); },
        nb::arg("trees"), nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_features"), nb::arg("n_threads"));
  m.def("tree_sums_csr",
        [](const nb::list& t, const Vector<T>& data, const Vector<I>& indices, const Vector<I>& indptr, std::size_t d,
           int n) { return total(t, csr(data, indices, indptr, d), n); },
        nb::arg("trees"), nb::arg("data").noconvert(), nb::arg("indices").noconvert(), nb::arg("indptr").noconvert(),
        nb::arg("n_features"), nb::arg("n_threads"));
}

std::tuple<Array<double>, Array<double>, Array<std::int64_t>> pruning(const Vector<std::int32_t>& left,
                                                                      const Vector<std::int32_t>& right,
                                                                      const Vector<double>& cost) {
  const std::size_t n = left.shape(0);
  same("children_right", right.shape(0), n);
  same("cost", cost.shape(0), n);
  auto alpha = numbers<double>("the penalties", {n}), rise = numbers<double>("the costs", {n});
  auto fall = numbers<std::int64_t>("the numbers of leaves", {n});
  {
    nb::gil_scoped_release release;
    surefit::trees::pruning_steps(left.data(), right.data(), cost.data(), n, alpha.get(), rise.get(), fall.get());
  }
  return {owned(std::move(alpha), {n}), owned(std::move(rise), {n}), owned(std::move(fall), {n})};
}

}  // namespace

void bind_tree(nb::module_& m) {
  nb::class_<TreeArrays>(m, "TreeArrays")
      .def(nb::init<std::size_t, Vector<std::int32_t>, Vector<std::int32_t>, Vector<std::int32_t>, Vector<double>,
                    Vector<std::uint8_t>, Vector<std::int32_t>, Matrix<std::uint64_t>, Matrix<double>>(),
           nb::arg("n_features"), nb::arg("children_left").noconvert(), nb::arg("children_right").noconvert(),
           nb::arg("feature").noconvert(), nb::arg("threshold").noconvert(), nb::arg("missing_go_to_left").noconvert(),
           nb::arg("category_row").noconvert(), nb::arg("categories").noconvert(), nb::arg("value").noconvert());
  define_dense<float>(m);
  define_dense<double>(m);
  define_csr<float, std::int32_t>(m);
  define_csr<float, std::int64_t>(m);
  define_csr<double, std::int32_t>(m);
  define_csr<double, std::int64_t>(m);
  m.def("pruning_steps", pruning, nb::arg("children_left").noconvert(), nb::arg("children_right").noconvert(),
        nb::arg("cost").noconvert());
}
