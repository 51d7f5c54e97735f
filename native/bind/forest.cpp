#include "forest.hpp"

#include <limits>

#include "tree/forest_sums.hpp"

namespace {

using namespace surefit;
using namespace surefit::bind;
using namespace surefit::forest;

using ChangedLeaves = nb::ndarray<std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

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
  check_codes(e);
}

int exponent_of(const double* y, std::size_t n) {
  double most = 0;
  for (std::size_t i = 0; y && i < n; ++i) most = std::max(most, std::abs(y[i]));
  return exponent_above(most);
}

void some_in_every_bag(const std::vector<Bag>& bags, std::size_t n) {
  for (const Bag& bag : bags) {
    bool some = !bag.counts;
    for (std::size_t i = 0; !some && i < n; ++i) some = bag.counts[i] > 0;
    if (!some) throw std::invalid_argument("a tree needs at least one example in its bag");
  }
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
        check_targets(codes.has_value(), y.has_value(), n_classes);
        same("first_threshold", first_threshold.shape(0), d + 1);
        const double* numbers = data_or_null(y, "y", n);
        const Examples examples{bins.data(), n, d, data_or_null(codes, "codes", n), n_classes,
                                numbers, data_or_null(repeats, "repeats", n), thresholds.data(),
                                first_threshold.data(), data_or_null(categorical, "categorical", d),
                                exponent_of(numbers, n)};
        if (first_threshold.data()[0] != 0) throw std::invalid_argument("first_threshold begins at 0");
        same("thresholds", thresholds.shape(0), static_cast<std::size_t>(first_threshold.data()[d]));
        if (outside) matrix_is("outside", outside->shape(0), outside->shape(1), n_trees, n);
        const double* w = data_or_null(weights, "weights", n);
        const Rules rules = rules_of(criterion, max_features, max_depth, min_samples_split, min_samples_leaf,
                                     min_weight_share, min_decrease);
        const std::vector<Bag> bags = bags_of(seeds.data(), n_trees, counts, w, class_weight, n, n_classes);
        std::vector<Grown> trees;
        {
          nb::gil_scoped_release released;
          check_examples(examples);
          some_in_every_bag(bags, n);
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
