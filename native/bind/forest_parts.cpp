// Forests whose rows are in parts: what a part adds up, and the splits found from merged sums.
#include <memory>
#include <tuple>

#include "forest.hpp"
#include "tree/forest_merged.hpp"
#include "tree/forest_part.hpp"

namespace {

using namespace surefit::bind;

// A whole number of 128 bits as three that may be added up over parts: its lowest 42 bits, the next 42, and the rest.
constexpr int kLane = 42;

void write_lanes(Whole x, std::int64_t* lanes) {
  const Whole mask = (Whole{1} << kLane) - 1;
  lanes[0] = static_cast<std::int64_t>(x & mask);
  lanes[1] = static_cast<std::int64_t>((x >> kLane) & mask);
  lanes[2] = static_cast<std::int64_t>(x >> (2 * kLane));
}
Whole of_lanes(const std::int64_t* lanes) {
  constexpr Whole one = Whole{1} << kLane;
  return (lanes[2] * one + lanes[1]) * one + lanes[0];
}

using Lanes = Matrix<std::int64_t>;

// Totals of nodes: weights (nodes, classes or 1), Σ w y (nodes, 3), lowest and highest target.
struct GivenTotals {
  Matrix<double> weights;
  Lanes sum;
  Vector<double> low, high;

  Totals at(std::size_t i) const {
    const double* first = weights.data() + i * weights.shape(1);
    return {{first, first + weights.shape(1)}, of_lanes(sum.data() + 3 * i), low.data()[i], high.data()[i]};
  }
  void check(std::size_t n, std::size_t width) const {
    matrix_is("weights", weights.shape(0), weights.shape(1), n, width);
    matrix_is("sums", sum.shape(0), sum.shape(1), n, 3);
    same("low", low.shape(0), n);
    same("high", high.shape(0), n);
  }
};

class ForestPart {
 public:
  ForestPart(Matrix<std::uint8_t> bins, Optional<std::int32_t> codes, std::size_t n_classes, Optional<double> y,
             Optional<std::int32_t> repeats, int y_exponent, int criterion)
      : bins_(bins), codes_(codes), y_(y), repeats_(repeats) {
    check_targets(codes.has_value(), y.has_value(), n_classes);
    const std::size_t n = bins.shape(0);
    examples_ = {bins.data(), n, bins.shape(1), data_or_null(codes, "codes", n), n_classes, data_or_null(y, "y", n),
                 data_or_null(repeats, "repeats", n), nullptr, nullptr, nullptr, y_exponent};
    check_codes(examples_);
    part_ = Part::make(examples_, rules_of(criterion, 0, 0, 0, 0, 0, 0).criterion);
  }

  void start(std::size_t n_trees, const OptionalMatrix<std::int32_t>& counts, const Optional<double>& weights) {
    const double* w = data_or_null(weights, "weights", examples_.n);
    const std::vector<Bag> bags = bags_of(nullptr, n_trees, counts, w, {}, examples_.n, examples_.n_classes);
    nb::gil_scoped_release released;
    part_->start(bags);
  }

  void split(const Vector<std::int64_t>& node, const Vector<std::int64_t>& feature, const Matrix<std::uint8_t>& goes_left) {
    same("feature", feature.shape(0), node.shape(0));
    matrix_is("goes_left", goes_left.shape(0), goes_left.shape(1), node.shape(0), 256);
    nb::gil_scoped_release released;
    for (std::size_t i = 0; i < node.shape(0); ++i) {
      part_->split(known(node.data()[i]), some_feature(feature.data()[i]), goes_left.data() + 256 * i);
    }
  }

  // Of the nodes from `first` on: (examples, rows, weights, Σ w y, lowest, highest target).
  nb::tuple totals(std::size_t first) const {
    const std::size_t n = part_->n_nodes() - std::min(first, part_->n_nodes());
    const std::size_t width = std::max<std::size_t>(1, examples_.n_classes);
    auto size = numbers<std::int64_t>("sizes", {n}), rows = numbers<std::int64_t>("rows", {n});
    auto weights = numbers<double>("weights", {n, width}), low = numbers<double>("low", {n});
    auto high = numbers<double>("high", {n});
    auto sum = numbers<std::int64_t>("sums", {n, 3});
    {
      nb::gil_scoped_release released;
      for (std::size_t i = 0; i < n; ++i) {
        const PartTotals found = part_->totals(first + i);
        size[i] = found.n, rows[i] = found.rows, low[i] = found.totals.low, high[i] = found.totals.high;
        std::copy(found.totals.weights.begin(), found.totals.weights.end(), weights.get() + i * width);
        write_lanes(found.totals.sum, sum.get() + 3 * i);
      }
    }
    return nb::make_tuple(owned(std::move(size), {n}), owned(std::move(rows), {n}),
                          owned(std::move(weights), {n, width}), owned(std::move(sum), {n, 3}),
                          owned(std::move(low), {n}), owned(std::move(high), {n}));
  }

  // (cells, rows in them or None, spread of nodes, sum of terms of nodes); `ends`: where the features of a node end.
  nb::tuple histograms(const Vector<std::int64_t>& node, const Vector<std::int64_t>& ends,
                       const Vector<std::int64_t>& features, Matrix<double> weights, Lanes sum, Vector<double> low,
                       Vector<double> high, bool counting) {
    const std::size_t n = node.shape(0), m = features.shape(0);
    const std::size_t width = examples_.n_classes ? examples_.n_classes : 2;
    const GivenTotals all{weights, sum, low, high};
    all.check(n, std::max<std::size_t>(1, examples_.n_classes));
    same("ends", ends.shape(0), n);
    auto cells = numbers<double>("histograms", {m, 256, width});
    auto counts = numbers<std::int64_t>("counts", {counting ? m : 0, 256});
    auto spread = numbers<std::int64_t>("spread", {n, 3});
    auto terms = numbers<double>("terms", {n});
    {
      nb::gil_scoped_release released;
      std::fill_n(counts.get(), counting ? 256 * m : 0, 0);
      std::size_t first = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const auto end = static_cast<std::size_t>(ends.data()[i]);
        if (end < first || end > m) throw std::invalid_argument("ends must ascend up to the number of features");
        for (std::size_t f = first; f < end; ++f) some_feature(features.data()[f]);
        const Rest rest = part_->histograms(known(node.data()[i]), all.at(i), features.data() + first, end - first,
                                            cells.get() + first * 256 * width,
                                            counting ? counts.get() + first * 256 : nullptr);
        write_lanes(rest.spread, spread.get() + 3 * i);
        terms[i] = rest.sum;
        first = end;
      }
    }
    return nb::make_tuple(owned(std::move(cells), {m, 256, width}),
                          owned(std::move(counts), {counting ? m : 0, std::size_t{256}}),
                          owned(std::move(spread), {n, 3}), owned(std::move(terms), {n}));
  }

  // The examples of nodes one after the other: (how many of each, bins, codes or numbers, weights, rows).
  nb::tuple items(const Vector<std::int64_t>& node) const {
    const std::size_t n = node.shape(0), d = examples_.d;
    auto size = numbers<std::int64_t>("sizes", {n});
    std::size_t m = 0;
    for (std::size_t i = 0; i < n; ++i) {
      size[i] = static_cast<std::int64_t>(part_->n_items(known(node.data()[i])));
      m += static_cast<std::size_t>(size[i]);
    }
    auto bins = numbers<std::uint8_t>("bins", {m, d});
    auto codes = numbers<std::int32_t>("codes", {examples_.codes ? m : 0});
    auto y = numbers<double>("targets", {examples_.codes ? 0 : m});
    auto weights = numbers<double>("weights", {m});
    auto rows = numbers<std::int32_t>("rows", {m});
    {
      nb::gil_scoped_release released;
      std::size_t at = 0;
      for (std::size_t i = 0; i < n; ++i) {
        part_->write_items(known(node.data()[i]), {bins.get() + at * d, examples_.codes ? codes.get() + at : nullptr,
                                                   examples_.codes ? nullptr : y.get() + at, weights.get() + at,
                                                   rows.get() + at});
        at += static_cast<std::size_t>(size[i]);
      }
    }
    nb::object target = examples_.codes ? nb::cast(owned(std::move(codes), {m})) : nb::cast(owned(std::move(y), {m}));
    return nb::make_tuple(owned(std::move(size), {n}), owned(std::move(bins), {m, d}), target,
                          owned(std::move(weights), {m}), owned(std::move(rows), {m}));
  }

 private:
  std::size_t known(std::int64_t node) const {
    if (node < 0 || static_cast<std::size_t>(node) >= part_->n_nodes()) {
      throw std::invalid_argument("there is no node " + std::to_string(node));
    }
    return static_cast<std::size_t>(node);
  }
  std::size_t some_feature(std::int64_t j) const {
    if (j < 0 || static_cast<std::size_t>(j) >= examples_.d) throw std::invalid_argument("there is no such feature");
    return static_cast<std::size_t>(j);
  }

  Matrix<std::uint8_t> bins_;
  Optional<std::int32_t> codes_;
  Optional<double> y_;
  Optional<std::int32_t> repeats_;
  Examples examples_{};
  std::unique_ptr<Part> part_;
};

// How trees are grown from merged sums, and below nodes whose examples were brought together.
class ForestGrowth {
 public:
  ForestGrowth(std::size_t n_classes, int y_exponent, Vector<double> thresholds, Vector<std::int64_t> first_threshold,
               Optional<std::uint8_t> categorical, int criterion, std::size_t max_features, std::size_t max_depth,
               std::size_t min_samples_split, std::size_t min_samples_leaf, double min_weight_share, double min_decrease)
      : thresholds_(thresholds), first_threshold_(first_threshold), categorical_(categorical),
        rules_(rules_of(criterion, max_features, max_depth, min_samples_split, min_samples_leaf, min_weight_share,
                        min_decrease)) {
    if (first_threshold.shape(0) < 2 || first_threshold.data()[0] != 0) {
      throw std::invalid_argument("first_threshold begins at 0");
    }
    const std::size_t d = first_threshold.shape(0) - 1;
    same("thresholds", thresholds.shape(0), static_cast<std::size_t>(first_threshold.data()[d]));
    examples_ = {nullptr, 0, d, nullptr, n_classes, nullptr, nullptr, thresholds.data(), first_threshold.data(),
                 data_or_null(categorical, "categorical", d), y_exponent};
    merged_ = Merged::make(examples_, rules_);
  }

  // (weight, may be split) of nodes; `root_weight` is negative for roots.
  nb::tuple look(const Vector<std::int64_t>& depth, const Vector<std::int64_t>& n_samples,
                 const Vector<double>& root_weight, const OptionalMatrix<double>& class_weight, Matrix<double> weights,
                 Lanes sum, Vector<double> low, Vector<double> high) {
    const Nodes nodes{depth, n_samples, root_weight, class_weight, {weights, sum, low, high}};
    const std::size_t n = check(nodes);
    auto weight = numbers<double>("weights", {n});
    auto may = numbers<std::uint8_t>("flags", {n});
    for (std::size_t i = 0; i < n; ++i) {
      const auto [found, allowed] = merged_->look(node_at(nodes, i));
      weight[i] = found, may[i] = allowed;
    }
    return nb::make_tuple(owned(std::move(weight), {n}), owned(std::move(may), {n}));
  }

  // The best splits: a dict of arrays, one number for each node.
  nb::dict search(const Vector<std::int64_t>& depth, const Vector<std::int64_t>& n_samples,
                  const Vector<double>& root_weight, const OptionalMatrix<double>& class_weight,
                  Matrix<double> weights, Lanes sum, Vector<double> low, Vector<double> high, const Lanes& spread,
                  const Vector<double>& terms, const Vector<std::int64_t>& ends, const Vector<std::int64_t>& features,
                  const Vector<double>& cells, const Vector<std::int64_t>& counts) {
    const Nodes nodes{depth, n_samples, root_weight, class_weight, {weights, sum, low, high}};
    const std::size_t n = check(nodes), m = features.shape(0);
    const std::size_t width = examples_.n_classes ? examples_.n_classes : 2;
    const bool counting = rules_.min_samples_leaf > 1;
    matrix_is("spread", spread.shape(0), spread.shape(1), n, 3);
    same("terms", terms.shape(0), n);
    same("ends", ends.shape(0), n);
    same("cells", cells.shape(0), 256 * m * width);
    same("counts", counts.shape(0), counting ? 256 * m : 0);
    for (std::size_t f = 0; f < m; ++f) {
      if (features.data()[f] < 0 || static_cast<std::size_t>(features.data()[f]) >= examples_.d) {
        throw std::invalid_argument("there is no such feature");
      }
    }
    std::vector<MergedAnswer> answers;
    std::vector<double> value;
    std::vector<std::uint8_t> goes_left(256 * n);
    {
      nb::gil_scoped_release released;
      std::size_t first = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const auto end = static_cast<std::size_t>(ends.data()[i]);
        if (end < first || end > m) throw std::invalid_argument("ends must ascend up to the number of features");
        const Rest rest{of_lanes(spread.data() + 3 * i), terms.data()[i]};
        answers.push_back(merged_->search(node_at(nodes, i), rest, features.data() + first, end - first,
                                          cells.data() + first * 256 * width,
                                          counting ? counts.data() + first * 256 : nullptr, value));
        first = end;
        const Split& split = answers.back().split;
        for (std::size_t bin = 0; bin < 256; ++bin) {
          const bool left = split.by_set ? holds(split.set, static_cast<std::uint8_t>(bin)) : static_cast<int>(bin) <= split.bin;
          goes_left[256 * i + bin] = bin == kMissing ? split.missing_left : left;
        }
      }
    }
    const auto of = [&]<class T>(const char* name, auto&& field) {
      auto out = numbers<T>(name, {n});
      for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<T>(field(answers[i]));
      return owned(std::move(out), {n});
    };
    auto sets = numbers<std::uint64_t>("sets", {n, 4});
    for (std::size_t i = 0; i < n; ++i) std::copy_n(answers[i].split.set.data(), 4, sets.get() + 4 * i);
    nb::dict out;
    out["found"] = of.operator()<std::uint8_t>("found", [](const MergedAnswer& a) { return a.split.found; });
    out["more"] = of.operator()<std::uint8_t>("more", [](const MergedAnswer& a) { return a.more; });
    out["feature"] = of.operator()<std::int64_t>("feature", [](const MergedAnswer& a) { return a.split.feature; });
    out["threshold"] = of.operator()<double>("threshold", [](const MergedAnswer& a) { return a.split.threshold; });
    out["missing_left"] = of.operator()<std::uint8_t>("flags", [](const MergedAnswer& a) { return a.split.missing_left; });
    out["without_missing"] =
        of.operator()<std::uint8_t>("flags", [](const MergedAnswer& a) { return a.split.without_missing; });
    out["by_set"] = of.operator()<std::uint8_t>("flags", [](const MergedAnswer& a) { return a.split.by_set; });
    out["impurity"] = of.operator()<double>("impurity", [](const MergedAnswer& a) { return a.impurity; });
    out["sets"] = owned(std::move(sets), {n, 4});
    out["value"] = owned(copy(value.data(), value.size()), {n, value.size() / std::max<std::size_t>(n, 1)});
    out["goes_left"] = owned(copy(goes_left.data(), goes_left.size()), {n, 256});
    return out;
  }

  // The trees below nodes: `ends` says where the examples of each end.
  nb::list subtrees(const Matrix<std::uint8_t>& bins, const Optional<std::int32_t>& codes, const Optional<double>& y,
                    const Vector<double>& weights, const Vector<std::int32_t>& rows, const Vector<std::int64_t>& ends,
                    const Vector<std::int64_t>& depth, const Vector<std::uint64_t>& key,
                    const Vector<double>& root_weight, const OptionalMatrix<double>& class_weight, int n_threads) const {
    const std::size_t m = bins.shape(0), n = ends.shape(0);
    same("columns", bins.shape(1), examples_.d);
    same("weights", weights.shape(0), m);
    same("depth", depth.shape(0), n);
    same("key", key.shape(0), n);
    same("root_weight", root_weight.shape(0), n);
    check_targets(codes.has_value(), y.has_value(), examples_.n_classes);
    if (class_weight) matrix_is("class_weight", class_weight->shape(0), class_weight->shape(1), n, examples_.n_classes);
    same("rows", rows.shape(0), m);
    Examples examples = examples_;
    examples.bins = bins.data(), examples.n = m;
    examples.codes = data_or_null(codes, "codes", m), examples.y = data_or_null(y, "y", m);
    examples.repeats = rows.data();
    check_codes(examples);
    std::vector<Subtree> nodes;
    std::size_t first = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto end = static_cast<std::size_t>(ends.data()[i]);
      if (end <= first || end > m || end - first > kWide) throw std::invalid_argument("a node has 1 to kWide examples");
      nodes.push_back({first, end, static_cast<std::size_t>(depth.data()[i]), key.data()[i], root_weight.data()[i],
                       class_weight ? class_weight->data() + i * examples_.n_classes : nullptr});
      first = end;
    }
    std::vector<Grown> trees;
    {
      nb::gil_scoped_release released;
      trees = grow_subtrees(examples, rules_, weights.data(), nodes, n_threads);
    }
    nb::list out;
    for (const Grown& tree : trees) out.append(arrays_of(tree));
    return out;
  }

 private:
  struct Nodes {
    const Vector<std::int64_t>&depth, &n_samples;
    const Vector<double>& root_weight;
    const OptionalMatrix<double>& class_weight;
    GivenTotals totals;
  };
  std::size_t check(const Nodes& nodes) const {
    const std::size_t n = nodes.depth.shape(0);
    same("n_samples", nodes.n_samples.shape(0), n);
    same("root_weight", nodes.root_weight.shape(0), n);
    if (nodes.class_weight) {
      matrix_is("class_weight", nodes.class_weight->shape(0), nodes.class_weight->shape(1), n, examples_.n_classes);
    }
    nodes.totals.check(n, std::max<std::size_t>(1, examples_.n_classes));
    return n;
  }
  MergedNode node_at(const Nodes& nodes, std::size_t i) const {
    return {static_cast<std::size_t>(nodes.depth.data()[i]), nodes.n_samples.data()[i], nodes.root_weight.data()[i],
            nodes.class_weight ? nodes.class_weight->data() + i * examples_.n_classes : nullptr, nodes.totals.at(i)};
  }

  Vector<double> thresholds_;
  Vector<std::int64_t> first_threshold_;
  Optional<std::uint8_t> categorical_;
  Rules rules_;
  Examples examples_{};
  std::unique_ptr<Merged> merged_;
};

}  // namespace

void bind_forest_parts(nb::module_& m) {
  m.attr("FOREST_WIDE") = kWide;
  m.def("exponent_above", &exponent_above, nb::arg("x"));
  nb::class_<ForestPart>(m, "ForestPart")
      .def(nb::init<Matrix<std::uint8_t>, Optional<std::int32_t>, std::size_t, Optional<double>, Optional<std::int32_t>,
                    int, int>(),
           nb::arg("bins").noconvert(), nb::arg("codes").none().noconvert(), nb::arg("n_classes"),
           nb::arg("y").none().noconvert(), nb::arg("repeats").none().noconvert(), nb::arg("y_exponent"),
           nb::arg("criterion"))
      .def("start", &ForestPart::start, nb::arg("n_trees"), nb::arg("counts").none().noconvert(),
           nb::arg("weights").none().noconvert())
      .def("split", &ForestPart::split, nb::arg("node").noconvert(), nb::arg("feature").noconvert(),
           nb::arg("goes_left").noconvert())
      .def("totals", &ForestPart::totals, nb::arg("first"))
      .def("histograms", &ForestPart::histograms, nb::arg("node").noconvert(), nb::arg("ends").noconvert(),
           nb::arg("features").noconvert(), nb::arg("weights").noconvert(), nb::arg("sum").noconvert(),
           nb::arg("low").noconvert(), nb::arg("high").noconvert(), nb::arg("counting"))
      .def("items", &ForestPart::items, nb::arg("node").noconvert());
  nb::class_<ForestGrowth>(m, "ForestGrowth")
      .def(nb::init<std::size_t, int, Vector<double>, Vector<std::int64_t>, Optional<std::uint8_t>, int, std::size_t,
                    std::size_t, std::size_t, std::size_t, double, double>(),
           nb::arg("n_classes"), nb::arg("y_exponent"), nb::arg("thresholds").noconvert(),
           nb::arg("first_threshold").noconvert(), nb::arg("categorical").none().noconvert(), nb::arg("criterion"),
           nb::arg("max_features"), nb::arg("max_depth"), nb::arg("min_samples_split"), nb::arg("min_samples_leaf"),
           nb::arg("min_weight_share"), nb::arg("min_decrease"))
      .def("look", &ForestGrowth::look, nb::arg("depth"), nb::arg("n_samples"), nb::arg("root_weight"),
           nb::arg("class_weight").none(), nb::arg("weights"), nb::arg("sum"), nb::arg("low"), nb::arg("high"))
      .def("search", &ForestGrowth::search, nb::arg("depth"), nb::arg("n_samples"), nb::arg("root_weight"),
           nb::arg("class_weight").none(), nb::arg("weights"), nb::arg("sum"), nb::arg("low"), nb::arg("high"),
           nb::arg("spread"), nb::arg("terms"), nb::arg("ends"), nb::arg("features"), nb::arg("cells"),
           nb::arg("counts"))
      .def("subtrees", &ForestGrowth::subtrees, nb::arg("bins"), nb::arg("codes").none(), nb::arg("y").none(),
           nb::arg("weights"), nb::arg("rows"), nb::arg("ends"), nb::arg("depth"), nb::arg("key"),
           nb::arg("root_weight"), nb::arg("class_weight").none(), nb::arg("n_threads"));
}
