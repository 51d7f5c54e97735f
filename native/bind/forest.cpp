#include "tree/forest.hpp"

#include <cmath>
#include <limits>

#include "arrays.hpp"

namespace {

using namespace surefit;
using namespace surefit::bind;
using namespace surefit::forest;

template <class T>
using Optional = std::optional<Vector<T>>;
template <class T>
using OptionalMatrix = std::optional<Matrix<T>>;
using ChangedLeaves = nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
const T* data_or_null(const Optional<T>& array, const char* name, std::size_t length) {
  if (!array) return nullptr;
  same(name, array->shape(0), length);
  return array->data();
}

void matrix_is(const char* name, std::size_t rows, std::size_t columns, std::size_t n_rows, std::size_t n_columns) {
  same(name, rows, n_rows);
  same(name, columns, n_columns);
}

// The bins of each feature of numbers must have a threshold after them, the last apart.
void check_examples(const Examples& e) {
  for (std::size_t j = 0; j < e.d; ++j) {
    const std::int64_t n = e.first_threshold[j + 1] - e.first_threshold[j];
    if (n < 0 || n > 254) throw std::invalid_argument("a feature has at most 254 thresholds");
    if (e.categorical && e.categorical[j]) continue;
    for (std::size_t i = 0; i < e.n; ++i) {
      const std::uint8_t bin = e.bins[i * e.d + j];
      if (bin > n && bin != kMissing) throw std::invalid_argument("a bin has no threshold");
    }
  }
  for (std::size_t i = 0; e.codes && i < e.n; ++i) {
    if (e.codes[i] < 0 || static_cast<std::size_t>(e.codes[i]) >= e.n_classes) {
      throw std::invalid_argument("codes must be places among the classes");
    }
  }
}

template <class T>
Array<T> given(const std::vector<T>& values) {
  return owned(copy(values.data(), values.size()), {values.size()});
}

Array<std::uint64_t> sets_of(const Grown& tree) {
  const std::size_t n = tree.categories.size();
  auto sets = numbers<std::uint64_t>("the category sets", {n, 4});
  for (std::size_t i = 0; i < n; ++i) std::copy_n(tree.categories[i].data(), 4, sets.get() + 4 * i);
  return owned(std::move(sets), {n, 4});
}

nb::tuple arrays_of(const Grown& tree) {
  return nb::make_tuple(given(tree.left), given(tree.right), given(tree.feature), given(tree.threshold),
                        given(tree.missing_left), given(tree.value), given(tree.impurity), given(tree.n_samples),
                        given(tree.weight), given(tree.category_row), sets_of(tree));
}

std::vector<Bag> bags_of(const Vector<std::uint64_t>& seeds, const OptionalMatrix<std::int32_t>& counts,
                         const double* weights, const OptionalMatrix<double>& class_weight, std::size_t n,
                         std::size_t n_classes) {
  std::vector<Bag> bags;
  for (std::size_t t = 0; t < seeds.shape(0); ++t) {
    bags.push_back({counts ? counts->data() + t * n : nullptr, weights,
                    class_weight ? class_weight->data() + t * n_classes : nullptr, seeds.data()[t]});
    bool some = !bags.back().counts;
    for (std::size_t i = 0; !some && i < n; ++i) some = bags.back().counts[i] > 0;
    if (!some) throw std::invalid_argument("a tree needs at least one example in its bag");
  }
  return bags;
}

}  // namespace

void bind_forest(nb::module_& m) {
  m.def(
      "grow_forest",
      [](Matrix<std::uint8_t> bins, Optional<std::int32_t> codes, std::size_t n_classes, Optional<double> y,
         Optional<std::int32_t> repeats, Vector<double> thresholds, Vector<std::int64_t> first_threshold,
         Optional<std::uint8_t> categorical, Vector<std::uint64_t> seeds, OptionalMatrix<std::int32_t> counts, Optional<double> weights,
         OptionalMatrix<double> class_weight, int criterion, std::size_t max_features, std::size_t max_depth,
         std::size_t min_samples_split, std::size_t min_samples_leaf, double min_weight_share, double min_decrease,
         std::optional<ChangedLeaves> outside, int n_threads) {
        const std::size_t n = bins.shape(0), d = bins.shape(1), n_trees = seeds.shape(0);
        if (n > std::numeric_limits<std::uint32_t>::max()) throw std::invalid_argument("more than 2^32 examples");
        if ((n_classes == 0) == codes.has_value() || codes.has_value() == y.has_value()) {
          throw std::invalid_argument("either codes of classes or numbers");
        }
        if (criterion < 0 || criterion > 3) throw std::invalid_argument("no such criterion");
        same("first_threshold", first_threshold.shape(0), d + 1);
        const Examples examples{bins.data(), n, d, data_or_null(codes, "codes", n), n_classes,
                                data_or_null(y, "y", n), data_or_null(repeats, "repeats", n), thresholds.data(),
                                first_threshold.data(), data_or_null(categorical, "categorical", d)};
        if (first_threshold.data()[0] != 0) throw std::invalid_argument("first_threshold begins at 0");
        same("thresholds", thresholds.shape(0), static_cast<std::size_t>(first_threshold.data()[d]));
        if (counts) matrix_is("counts", counts->shape(0), counts->shape(1), n_trees, n);
        if (class_weight) matrix_is("class_weight", class_weight->shape(0), class_weight->shape(1), n_trees, n_classes);
        if (outside) matrix_is("outside", outside->shape(0), outside->shape(1), n_trees, n);
        const double* w = data_or_null(weights, "weights", n);
        const Rules rules{static_cast<Criterion>(criterion), max_features,     max_depth,   min_samples_split,
                          min_samples_leaf,                  min_weight_share, min_decrease};
        std::vector<Grown> trees;
        {
          nb::gil_scoped_release released;
          check_examples(examples);
          const std::vector<Bag> bags = bags_of(seeds, counts, w, class_weight, n, n_classes);
          trees = grow(examples, rules, bags, outside ? outside->data() : nullptr, n_threads);
        }
        nb::list out;
        for (const Grown& tree : trees) out.append(arrays_of(tree));
        return out;
      },
      nb::arg("bins").noconvert(), nb::arg("codes").none().noconvert(), nb::arg("n_classes"),
      nb::arg("y").none().noconvert(), nb::arg("repeats").none().noconvert(), nb::arg("thresholds").noconvert(),
      nb::arg("first_threshold").noconvert(), nb::arg("categorical").none().noconvert(), nb::arg("seeds").noconvert(),
      nb::arg("counts").none().noconvert(),
      nb::arg("weights").none().noconvert(), nb::arg("class_weight").none().noconvert(), nb::arg("criterion"),
      nb::arg("max_features"), nb::arg("max_depth"), nb::arg("min_samples_split"), nb::arg("min_samples_leaf"),
      nb::arg("min_weight_share"), nb::arg("min_decrease"), nb::arg("outside").none().noconvert(),
      nb::arg("n_threads"));
}
