#include "tree/forest_part.hpp"

#include "tree/forest_tree.hpp"

namespace surefit::forest {
namespace {

template <class Target>
class PartOf final : public Part {
  using Item = typename Target::Item;

 public:
  PartOf(const Examples& e, Criterion criterion) : e_(e), rules_{criterion, 0, 0, 0, 0, 0, 0}, target_(e, rules_) {}

  void start(const std::vector<Bag>& bags) override {
    items_.assign(bags.size(), {});
    sizes_.assign(bags.size(), {});
    nodes_.clear();
    for (std::size_t t = 0; t < bags.size(); ++t) {
      fill_items<Target>(e_, bags[t], items_[t]);
      items_[t].shrink_to_fit();
      nodes_.push_back({t, 0, items_[t].size()});
      if (!e_.repeats) continue;
      sizes_[t].resize(e_.n);
      for (const Item& item : items_[t]) sizes_[t][item.row] = rows_of(e_, bags[t], item.row);
    }
  }

  std::size_t n_nodes() const override { return nodes_.size(); }

  void split(std::size_t node, std::size_t feature, const std::uint8_t* goes_left) override {
    const Range at = nodes_[node];
    const std::uint8_t* column = e_.bins + feature;
    const std::size_t n_left =
        part_items(items_[at.tree].data() + at.begin, at.end - at.begin, scratch_,
                   [&](const Item& item) { return goes_left[column[item.row * e_.d]] != 0; });
    nodes_.push_back({at.tree, at.begin, at.begin + n_left});
    nodes_.push_back({at.tree, at.begin + n_left, at.end});
  }

  PartTotals totals(std::size_t node) const override {
    const Range at = nodes_[node];
    const Item* items = items_[at.tree].data() + at.begin;
    PartTotals out;
    out.n = static_cast<std::int64_t>(at.end - at.begin);
    for (std::size_t i = 0; i < at.end - at.begin; ++i) out.rows += size(at.tree, items[i]);
    out.totals = target_.totals(items, at.end - at.begin);
    return out;
  }

  Rest histograms(std::size_t node, const Totals& all, const std::int64_t* features, std::size_t n_features,
                  double* cells, std::int64_t* counts) override {
    const Range at = nodes_[node];
    Item* items = items_[at.tree].data() + at.begin;
    const std::size_t n = at.end - at.begin;
    target_.take(all);
    const Rest rest = target_.terms(items, n);
    for (std::size_t f = 0; f < n_features; ++f) {
      const std::uint8_t* column = e_.bins + features[f];
      for (std::size_t i = 0; i < n; ++i) target_.add(items[i], column[items[i].row * e_.d]);
      target_.write_cells(cells + f * 256 * target_.width());
      for (std::size_t bin = 0; bin < 256; ++bin) target_.clear(bin);
      for (std::size_t i = 0; counts && i < n; ++i) {
        counts[f * 256 + column[items[i].row * e_.d]] += size(at.tree, items[i]);
      }
    }
    return rest;
  }

  std::size_t n_items(std::size_t node) const override { return nodes_[node].end - nodes_[node].begin; }

  void write_items(std::size_t node, const PartItems& out) const override {
    const Range at = nodes_[node];
    for (std::size_t i = at.begin; i < at.end; ++i) {
      const Item& item = items_[at.tree][i];
      const std::size_t to = i - at.begin;
      std::copy_n(e_.bins + item.row * e_.d, e_.d, out.bins + to * e_.d);
      if (out.codes) out.codes[to] = e_.codes[item.row];
      if (out.y) out.y[to] = e_.y[item.row];
      out.weights[to] = item.w;
      out.rows[to] = static_cast<std::int32_t>(size(at.tree, item));
    }
  }

 private:
  struct Range {
    std::size_t tree, begin, end;
  };
  std::int64_t size(std::size_t tree, const Item& item) const { return e_.repeats ? sizes_[tree][item.row] : 1; }

  const Examples& e_;
  Rules rules_;
  Target target_;
  std::vector<std::vector<Item>> items_;
  std::vector<std::vector<std::int32_t>> sizes_;
  std::vector<Item> scratch_;
  std::vector<Range> nodes_;
};

}  // namespace

std::unique_ptr<Part> Part::make(const Examples& examples, Criterion criterion) {
  if (examples.n_classes == 0) return std::make_unique<PartOf<Numbers>>(examples, criterion);
  if (examples.n_classes == 2) return std::make_unique<PartOf<Classes<2>>>(examples, criterion);
  return std::make_unique<PartOf<Classes<0>>>(examples, criterion);
}

}  // namespace surefit::forest
