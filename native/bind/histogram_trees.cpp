#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <vector>

#include "arrays.hpp"
#include "tree/boosting_pass.hpp"
#include "tree/histogram_grow.hpp"
#include "tree/histogram_merged.hpp"

namespace {

using namespace surefit::bind;
namespace histogram = surefit::histogram;
namespace boosting = surefit::boosting;

template <class T>
Array<T> array(const std::vector<T>& v, Shape shape) {
  return owned(copy(v.data(), v.size()), shape);
}

std::vector<histogram::Feature> features_of(const Vector<std::int64_t>& n_bins, const Vector<std::uint8_t>& categorical) {
  same("categorical", categorical.shape(0), n_bins.shape(0));
  std::vector<histogram::Feature> out;
  for (std::size_t j = 0; j < n_bins.shape(0); ++j) {
    const std::int64_t b = n_bins.data()[j];
    if (b < 1 || b > 255) throw std::invalid_argument("a feature has 1 to 255 bins; got " + std::to_string(b));
    out.push_back({j, static_cast<std::size_t>(b), categorical.data()[j] != 0});
  }
  return out;
}

nb::dict tree_of(const histogram::Grown& t) {
  const std::size_t m = t.left.size();
  nb::dict out;
  out["left"] = array(t.left, {m});
  out["right"] = array(t.right, {m});
  out["feature"] = array(t.feature, {m});
  out["bin"] = array(t.bin, {m});
  out["missing_left"] = array(t.missing_left, {m});
  out["categorical"] = array(t.categorical, {m});
  out["sets"] = array(t.sets, {m, 4});
  out["value"] = array(t.value, {m});
  out["score"] = array(t.score, {m});
  out["n_rows"] = array(t.n_rows, {m});
  out["first_row"] = array(t.first_row, {m});
  out["weight"] = array(t.weight, {m});
  out["hessian"] = array(t.hessian, {m});
  out["gradient"] = array(t.gradient, {m});
  return out;
}

std::size_t lanes_of(histogram::Form form) { return form == histogram::Form::three ? 4 : 2; }

// The rows of one fit: their bins, the integers of a round, and the memory that its trees share.
class Rows {
 public:
  Rows(Matrix<std::uint8_t> bins, const Vector<std::int64_t>& n_bins, const Vector<std::uint8_t>& categorical,
       int n_threads, bool columns)
      : kept_(bins), n_threads_(n_threads), rows_(bins.data(), bins.shape(0), bins.shape(1), columns, n_threads) {
    same("n_bins", n_bins.shape(0), rows_.d);
    features_ = features_of(n_bins, categorical);
    if (rows_.n == 0 || rows_.n >= (std::size_t{1} << 32)) throw std::invalid_argument("1 to 2^32 - 1 rows, please");
  }

  // `weight`: that of all rows of the fit. Where these are a part of them, `n_rows` and `largest` are of all as well.
  void take(const Vector<double>& g, const Weights& h, const Weights& c, double weight, double n_rows,
            const Weights& largest) {
    same("the gradient", g.shape(0), rows_.n);
    if (h) same("the hessian", h->shape(0), rows_.n);
    if (c) same("the weights", c->shape(0), rows_.n);
    if (largest) same("largest", largest->shape(0), 3);
    nb::gil_scoped_release released;
    const double* most = data_of(largest);
    const histogram::Scale scale =
        most ? histogram::Scale{n_rows, weight, most[0], most[1], most[2]}
             : histogram::scale_of(g.data(), data_of(h), data_of(c), rows_.n, weight, n_threads_);
    statistics_.round(g.data(), data_of(h), data_of(c), rows_.n, scale, n_threads_);
    taken_ = true;
  }

  nb::dict grow(double l2, double min_weight, std::size_t max_leaves, std::size_t max_depth, double max_features,
                std::uint64_t seed, const std::optional<Vector<std::int8_t>>& monotonic,
                const std::optional<Matrix<std::uint8_t>>& groups) {
    if (!taken_) throw std::invalid_argument("take gradients first");
    if (monotonic) same("monotonic", monotonic->shape(0), rows_.d);
    if (groups) same("a row of groups", groups->shape(1), rows_.d);
    histogram::Options options{{l2, min_weight, monotonic ? monotonic->data() : nullptr},
                               max_leaves,
                               max_depth,
                               max_features,
                               seed,
                               groups ? groups->data() : nullptr,
                               groups ? groups->shape(0) : 0,
                               n_threads_};
    histogram::Grown t;
    {
      nb::gil_scoped_release released;
      t = histogram::grow(rows_, features_, statistics_, options, memory_);
    }
    return tree_of(t);
  }

  // The rows, those of every leaf side by side.
  Array<std::uint32_t> order() const {
    return owned(copy(memory_.order.data(), memory_.order.size()), {memory_.order.size()});
  }

  void add_steps(const Vector<std::int64_t>& first, const Vector<std::int64_t>& count, const Vector<double>& value,
                 const Changed& raw) const {
    same("count", count.shape(0), first.shape(0));
    same("value", value.shape(0), first.shape(0));
    same("raw", raw.shape(0), rows_.n);
    for (std::size_t i = 0; i < first.shape(0); ++i) {
      const std::int64_t lo = first.data()[i], n = count.data()[i];
      if (lo < 0 || n < 0 || static_cast<std::size_t>(lo) + static_cast<std::size_t>(n) > memory_.order.size()) {
        throw std::invalid_argument("a leaf names rows that are not there");
      }
    }
    nb::gil_scoped_release released;
    boosting::add_steps({memory_.order.data(), first.data(), count.data(), value.data(), first.shape(0)}, raw.data(),
                        n_threads_);
  }

  // ——— a part of the rows of a fit ———

  // The form of the cells, and what their integers stand for.
  std::tuple<int, double, double, double, int> grid() const {
    const histogram::Grid& g = statistics_.grid;
    return {static_cast<int>(statistics_.form), g.g, g.h, g.c, g.shift};
  }
  Array<std::uint8_t> has_missing() const { return array(rows_.has_missing, {rows_.d}); }

  void start_nodes() {
    if (!taken_) throw std::invalid_argument("take gradients first");
    nb::gil_scoped_release released;
    nodes_.start(rows_.n);
  }

  void split_nodes(const Vector<std::int64_t>& node, const Vector<std::int64_t>& feature,
                   const Matrix<std::uint8_t>& goes_left) {
    same("feature", feature.shape(0), node.shape(0));
    same("goes_left", goes_left.shape(0), node.shape(0));
    same("a row of goes_left", goes_left.shape(1), histogram::kBins);
    nb::gil_scoped_release released;
    for (std::size_t i = 0; i < node.shape(0); ++i) {
      const std::int64_t j = feature.data()[i];
      if (j < 0 || static_cast<std::size_t>(j) >= rows_.d) throw std::invalid_argument("a split names no feature");
      nodes_.split(known(node.data()[i]), rows_.column(static_cast<std::size_t>(j)),
                   goes_left.data() + i * histogram::kBins);
    }
  }

  // (nodes, features × 256, lanes)
  Array<std::int64_t> count_nodes(const Vector<std::int64_t>& node) const {
    const std::size_t m = node.shape(0), cells = rows_.d * histogram::kBins, lanes = lanes_of(statistics_.form);
    auto out = numbers<std::int64_t>("histograms", {m, cells, lanes});
    {
      nb::gil_scoped_release released;
      for (std::size_t i = 0; i < m; ++i) {
        nodes_.count(known(node.data()[i]), rows_, statistics_, out.get() + i * cells * lanes);
      }
    }
    return owned(std::move(out), {m, cells, lanes});
  }

  // Where the rows of every node stand in `node_order`, and how many they are.
  std::pair<Array<std::int64_t>, Array<std::int64_t>> node_ranges() const {
    return {array(nodes_.first(), {nodes_.n_nodes()}), array(nodes_.sizes(), {nodes_.n_nodes()})};
  }
  Array<std::uint32_t> node_order() const { return array(nodes_.order, {nodes_.order.size()}); }

 private:
  std::size_t known(std::int64_t node) const {
    if (node < 0 || static_cast<std::size_t>(node) >= nodes_.n_nodes()) {
      throw std::invalid_argument("there is no node " + std::to_string(node));
    }
    return static_cast<std::size_t>(node);
  }

  Matrix<std::uint8_t> kept_;
  int n_threads_;
  histogram::BinnedRows rows_;
  std::vector<histogram::Feature> features_;
  histogram::Statistics statistics_;
  histogram::Memory memory_;
  histogram::PartNodes nodes_;
  bool taken_ = false;
};

// A tree from histograms that are counted elsewhere.
class Growth {
 public:
  Growth(const Vector<std::int64_t>& n_bins, const Vector<std::uint8_t>& categorical,
         const Vector<std::uint8_t>& has_missing, std::tuple<int, double, double, double, int> grid, std::size_t n_rows,
         double l2, double min_weight, std::size_t max_leaves, std::size_t max_depth, double max_features,
         std::uint64_t seed, std::optional<Vector<std::int8_t>> monotonic, std::optional<Matrix<std::uint8_t>> groups)
      : monotonic_(monotonic), groups_(groups), features_(features_of(n_bins, categorical)),
        has_missing_(has_missing.data(), has_missing.data() + has_missing.shape(0)),
        form_(static_cast<histogram::Form>(std::get<0>(grid))),
        grid_{std::get<1>(grid), std::get<2>(grid), std::get<3>(grid), std::get<4>(grid)} {
    same("has_missing", has_missing_.size(), features_.size());
    if (monotonic_) same("monotonic", monotonic_->shape(0), features_.size());
    if (groups_) same("a row of groups", groups_->shape(1), features_.size());
    options_ = {{l2, min_weight, monotonic_ ? monotonic_->data() : nullptr},
                max_leaves,
                max_depth,
                max_features,
                seed,
                groups_ ? groups_->data() : nullptr,
                groups_ ? groups_->shape(0) : 0,
                1};
    growth_ = histogram::MergedGrowth::make(form_, features_, has_missing_, grid_, options_, n_rows);
  }

  void take_root(const Matrix<std::int64_t>& cells) {
    right_size(cells.shape(0), cells.shape(1), 1);
    nb::gil_scoped_release released;
    growth_->take_root(cells.data());
  }

  // (nodes to be split, their features, which bins go left, nodes to be counted afterwards); none: the tree is done.
  nb::tuple ask() {
    const histogram::Asked* asked;
    {
      nb::gil_scoped_release released;
      asked = &growth_->ask();
    }
    n_asked_ = asked->node.size();
    n_counted_ = asked->counted.size();
    return nb::make_tuple(array(asked->node, {n_asked_}), array(asked->feature, {n_asked_}),
                          array(asked->goes_left, {n_asked_, histogram::kBins}), array(asked->counted, {n_counted_}));
  }

  void take(const Matrix<std::int64_t>& sizes, const Matrix<std::int64_t>& cells) {
    same("sizes", sizes.shape(0), n_asked_);
    same("a row of sizes", sizes.shape(1), 2);
    right_size(cells.shape(0), cells.shape(1), n_counted_);
    nb::gil_scoped_release released;
    growth_->take(sizes.data(), cells.data());
  }

  nb::dict grown() const { return tree_of(growth_->grown()); }
  Array<std::int64_t> part_node() const { return array(growth_->part_node(), {growth_->part_node().size()}); }

 private:
  void right_size(std::size_t rows, std::size_t lanes, std::size_t histograms) const {
    same("cells", rows, histograms * features_.size() * histogram::kBins);
    same("a cell", lanes, lanes_of(form_));
  }

  std::optional<Vector<std::int8_t>> monotonic_;
  std::optional<Matrix<std::uint8_t>> groups_;
  std::vector<histogram::Feature> features_;
  std::vector<std::uint8_t> has_missing_;
  histogram::Form form_;
  histogram::Grid grid_;
  histogram::Options options_;
  std::unique_ptr<histogram::MergedGrowth> growth_;
  std::size_t n_asked_ = 0, n_counted_ = 0;
};

double logistic_slopes(const Vector<double>& raw, const Vector<double>& y, const Weights& w, const Changed& gradient,
                       const Changed& hessian, int n_threads) {
  const std::size_t n = raw.shape(0);
  same("y", y.shape(0), n);
  if (w) same("w", w->shape(0), n);
  same("gradient", gradient.shape(0), n);
  same("hessian", hessian.shape(0), n);
  nb::gil_scoped_release released;
  return boosting::logistic(raw.data(), y.data(), data_of(w), n, gradient.data(), hessian.data(), n_threads);
}

double squared_slopes(const Vector<double>& raw, const Vector<double>& y, const Weights& w, const Changed& gradient,
                      int n_threads) {
  const std::size_t n = raw.shape(0);
  same("y", y.shape(0), n);
  if (w) same("w", w->shape(0), n);
  same("gradient", gradient.shape(0), n);
  nb::gil_scoped_release released;
  return boosting::squared(raw.data(), y.data(), data_of(w), n, gradient.data(), n_threads);
}

}  // namespace

void bind_histogram_trees(nb::module_& m) {
  nb::class_<Rows>(m, "HistogramRows")
      .def(nb::init<Matrix<std::uint8_t>, const Vector<std::int64_t>&, const Vector<std::uint8_t>&, int, bool>())
      .def("take", &Rows::take, nb::arg("gradient"), nb::arg("hessian").none(), nb::arg("weight").none(),
           nb::arg("total"), nb::arg("n_rows"), nb::arg("largest").none())
      .def("grow", &Rows::grow, nb::arg("l2"), nb::arg("min_weight"), nb::arg("max_leaves"), nb::arg("max_depth"),
           nb::arg("max_features"), nb::arg("seed"), nb::arg("monotonic").none(), nb::arg("groups").none())
      .def("order", &Rows::order)
      .def("add_steps", &Rows::add_steps)
      .def("grid", &Rows::grid)
      .def("has_missing", &Rows::has_missing)
      .def("start_nodes", &Rows::start_nodes)
      .def("split_nodes", &Rows::split_nodes)
      .def("count_nodes", &Rows::count_nodes)
      .def("node_ranges", &Rows::node_ranges)
      .def("node_order", &Rows::node_order);
  nb::class_<Growth>(m, "MergedGrowth")
      .def(nb::init<const Vector<std::int64_t>&, const Vector<std::uint8_t>&, const Vector<std::uint8_t>&,
                    std::tuple<int, double, double, double, int>, std::size_t, double, double, std::size_t, std::size_t,
                    double, std::uint64_t, std::optional<Vector<std::int8_t>>, std::optional<Matrix<std::uint8_t>>>(),
           nb::arg("n_bins"), nb::arg("categorical"), nb::arg("has_missing"), nb::arg("grid"), nb::arg("n_rows"),
           nb::arg("l2"), nb::arg("min_weight"), nb::arg("max_leaves"), nb::arg("max_depth"), nb::arg("max_features"),
           nb::arg("seed"), nb::arg("monotonic").none(), nb::arg("groups").none())
      .def("take_root", &Growth::take_root)
      .def("ask", &Growth::ask)
      .def("take", &Growth::take)
      .def("grown", &Growth::grown)
      .def("part_node", &Growth::part_node);
  m.def("logistic_slopes", &logistic_slopes, nb::arg("raw"), nb::arg("y"), nb::arg("w").none(), nb::arg("gradient"),
        nb::arg("hessian"), nb::arg("n_threads"));
  m.def("squared_slopes", &squared_slopes, nb::arg("raw"), nb::arg("y"), nb::arg("w").none(), nb::arg("gradient"),
        nb::arg("n_threads"));
}
