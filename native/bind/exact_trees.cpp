#include "tree/exact_grow.hpp"

#include <nanobind/stl/string.h>

#include "arrays.hpp"

namespace {

using namespace surefit::bind;
namespace exact = surefit::exact_tree;

template <class T>
nb::tuple presort(Matrix<T> x, int n_threads) {
  const std::size_t n = x.shape(0), d = x.shape(1);
  if (n == 0 || d == 0) throw std::invalid_argument("there must be a row and a column");
  if (n >> 31) throw std::invalid_argument("an exact tree takes at most 2³¹ − 1 rows");
  auto lists = numbers<std::uint32_t>("the sorted columns", {d, n});
  auto missing = numbers<std::uint8_t>("a flag for each column", {d});
  {
    nb::gil_scoped_release released;
    exact::presort(x.data(), n, d, lists.get(), missing.get(), n_threads);
  }
  return nb::make_tuple(owned(std::move(lists), {d, n}), owned(std::move(missing), {d}));
}

exact::Criterion criterion_of(const std::string& name) {
  if (name == "gini") return exact::Criterion::gini;
  if (name == "entropy" || name == "log_loss") return exact::Criterion::entropy;
  if (name == "squared_error" || name == "friedman_mse") return exact::Criterion::squared_error;
  if (name == "poisson") return exact::Criterion::poisson;
  if (name == "absolute_error") return exact::Criterion::absolute_error;
  throw std::invalid_argument("unknown criterion: " + name);
}

template <class T>
Array<T> array(const std::vector<T>& from) {
  return owned(copy(from.data(), from.size()), {from.size()});
}

// limits: max_depth, min_samples_split, min_samples_leaf, max_features, max_leaf_nodes (0: none).
template <class T>
nb::tuple grow(Matrix<T> x, Matrix<std::uint32_t> lists, Vector<std::uint8_t> missing, Vector<std::uint8_t> categorical,
               std::optional<Matrix<double>> y, std::optional<Matrix<std::int32_t>> code, std::size_t n_classes,
               Weights w,
               Vector<double> shift, std::string criterion, bool random_splitter, Vector<std::int64_t> limits,
               double min_weight_leaf, double min_impurity_decrease, std::optional<Vector<std::int8_t>> monotonic,
               std::uint64_t seed, int n_threads) {
  const std::size_t n = x.shape(0), d = x.shape(1), outputs = y ? y->shape(1) : code->shape(1);
  same("the lists", lists.shape(0), d), same("a list", lists.shape(1), n);
  same("missing", missing.shape(0), d), same("categorical", categorical.shape(0), d);
  same("the targets", y ? y->shape(0) : code->shape(0), n), same("limits", limits.shape(0), 5);
  same("shift", shift.shape(0), outputs);
  if (w) same("w", w->shape(0), n);
  if (monotonic) same("monotonic", monotonic->shape(0), d);
  const exact::Columns columns{lists.data(), n, d, x.data(), sizeof(T) == 4, missing.data(), categorical.data()};
  const exact::Targets targets{outputs, n_classes, y ? y->data() : nullptr, code ? code->data() : nullptr, data_of(w),
                               shift.data()};
  const auto limit = [&](int i) { return static_cast<std::size_t>(limits.data()[i]); };
  const exact::Options options{criterion_of(criterion), random_splitter, limit(0), limit(1), limit(2), min_weight_leaf,
                               limit(3), limit(4), min_impurity_decrease, monotonic ? monotonic->data() : nullptr, seed,
                               n_threads};
  auto leaf = numbers<std::int64_t>("the leaves of the rows", {n});
  exact::Grown tree;
  {
    nb::gil_scoped_release released;
    tree = exact::grow(columns, targets, options, leaf.get());
  }
  auto sets = numbers<std::uint64_t>("the category sets", {tree.categories.size(), 4});
  const std::size_t n_sets = tree.categories.size();
  for (std::size_t i = 0; i < n_sets; ++i) std::copy_n(tree.categories[i].data(), 4, sets.get() + 4 * i);
  return nb::make_tuple(array(tree.left), array(tree.right), array(tree.feature), array(tree.threshold),
                        array(tree.missing_left), array(tree.value), array(tree.impurity), array(tree.count),
                        array(tree.weight), array(tree.category_row), owned(std::move(sets), {n_sets, 4}),
                        owned(std::move(leaf), {n}));
}

template <class T>
void bind(nb::module_& m) {
  m.def("exact_tree_presort", &presort<T>, nb::arg("x").noconvert(), nb::arg("n_threads"));
  m.def("exact_tree_grow", &grow<T>, nb::arg("x").noconvert(), nb::arg("lists").noconvert(),
        nb::arg("missing").noconvert(), nb::arg("categorical").noconvert(),
        nb::arg("y").noconvert().none(), nb::arg("code").noconvert().none(),
        nb::arg("n_classes"), nb::arg("w").noconvert().none(), nb::arg("shift").noconvert(), nb::arg("criterion"),
        nb::arg("random_splitter"), nb::arg("limits").noconvert(), nb::arg("min_weight_leaf"),
        nb::arg("min_impurity_decrease"), nb::arg("monotonic").noconvert().none(), nb::arg("seed"),
        nb::arg("n_threads"));
}

}  // namespace

void bind_exact_trees(nb::module_& m) {
  bind<float>(m);
  bind<double>(m);
}
