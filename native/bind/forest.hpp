#pragma once
// What the bindings of forests share.

#include "tree/forest.hpp"

#include <cmath>
#include <vector>

#include "arrays.hpp"

namespace surefit::bind {

using namespace surefit::forest;

template <class T>
using Optional = std::optional<Vector<T>>;
template <class T>
using OptionalMatrix = std::optional<Matrix<T>>;

template <class T>
const T* data_or_null(const Optional<T>& array, const char* name, std::size_t length) {
  if (!array) return nullptr;
  same(name, array->shape(0), length);
  return array->data();
}

inline void matrix_is(const char* name, std::size_t rows, std::size_t columns, std::size_t n_rows, std::size_t n_columns) {
  same(name, rows, n_rows);
  same(name, columns, n_columns);
}

template <class T>
Array<T> given(const std::vector<T>& values) {
  return owned(copy(values.data(), values.size()), {values.size()});
}

inline Array<std::uint64_t> sets_of(const Grown& tree) {
  const std::size_t n = tree.categories.size();
  auto sets = numbers<std::uint64_t>("the category sets", {n, 4});
  for (std::size_t i = 0; i < n; ++i) std::copy_n(tree.categories[i].data(), 4, sets.get() + 4 * i);
  return owned(std::move(sets), {n, 4});
}

inline nb::tuple arrays_of(const Grown& tree) {
  return nb::make_tuple(given(tree.left), given(tree.right), given(tree.feature), given(tree.threshold),
                        given(tree.missing_left), given(tree.value), given(tree.impurity), given(tree.n_samples),
                        given(tree.weight), given(tree.category_row), sets_of(tree));
}

inline Rules rules_of(int criterion, std::size_t max_features, std::size_t max_depth, std::size_t min_samples_split,
                      std::size_t min_samples_leaf, double min_weight_share, double min_decrease) {
  if (criterion < 0 || criterion > 3) throw std::invalid_argument("no such criterion");
  return {static_cast<Criterion>(criterion), max_features,     max_depth,   min_samples_split,
          min_samples_leaf,                  min_weight_share, min_decrease};
}

inline void check_targets(bool codes, bool y, std::size_t n_classes) {
  if ((n_classes == 0) == codes || codes == y) throw std::invalid_argument("either codes of classes or numbers");
}

inline void check_codes(const Examples& e) {
  for (std::size_t i = 0; e.codes && i < e.n; ++i) {
    if (e.codes[i] < 0 || static_cast<std::size_t>(e.codes[i]) >= e.n_classes) {
      throw std::invalid_argument("codes must be places among the classes");
    }
  }
}

// The bags of trees from rows of counts and of factors.
inline std::vector<Bag> bags_of(const std::uint64_t* seeds, std::size_t n_trees,
                                const OptionalMatrix<std::int32_t>& counts, const double* weights,
                                const OptionalMatrix<double>& class_weight, std::size_t n, std::size_t n_classes) {
  if (counts) matrix_is("counts", counts->shape(0), counts->shape(1), n_trees, n);
  if (class_weight) matrix_is("class_weight", class_weight->shape(0), class_weight->shape(1), n_trees, n_classes);
  double total = 0;
  bool whole = true;
  for (std::size_t i = 0; weights && !counts && i < n; ++i) {
    total += weights[i];
    whole = whole && weights[i] == std::floor(weights[i]);
  }
  whole = whole && total < 0x1p51;
  std::vector<Bag> bags;
  for (std::size_t t = 0; t < n_trees; ++t) {
    bags.push_back({counts ? counts->data() + t * n : nullptr, weights,
                    class_weight ? class_weight->data() + t * n_classes : nullptr, seeds ? seeds[t] : 0, whole});
  }
  for (std::size_t i = 0; class_weight && i < class_weight->size(); ++i) {
    if (!(class_weight->data()[i] > 0)) throw std::invalid_argument("the weight of a class must be above zero");
  }
  return bags;
}

}  // namespace surefit::bind
