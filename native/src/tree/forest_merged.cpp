#include "tree/forest_merged.hpp"

namespace surefit::forest {
namespace {

template <class Target>
class MergedOf final : public Merged {
 public:
  MergedOf(const Examples& e, const Rules& rules) : e_(e), rules_(rules), search_(e_, rules_) {}

  std::pair<double, bool> look(const MergedNode& node) override {
    const bool mixed = take(node);
    return {search_.target.weight, search_.may_split(mixed, node.depth, node.n_samples, root_weight(node))};
  }

  MergedAnswer search(const MergedNode& node, const Rest& rest, const std::int64_t* features, std::size_t n_features,
                      const double* cells, const std::int64_t* counts, std::vector<double>& value) override {
    Target& target = search_.target;
    const bool mixed = take(node);
    target.take_rest(rest);
    MergedAnswer answer{{}, false, target.impurity(), target.weight};
    target.write(value);
    if (!search_.may_split(mixed, node.depth, node.n_samples, root_weight(node))) return answer;
    search_.start(node.n_samples, root_weight(node));
    std::size_t looked_at = 0, f = 0;
    for (; f < n_features && looked_at < rules_.max_features; ++f) {
      target.read_cells(cells + f * 256 * target.width());
      std::size_t m = 0;
      for (std::size_t bin = 0; bin < 256; ++bin) {
        if (target.bin_weight(bin) > 0) search_.present[m++] = static_cast<std::uint8_t>(bin);
        if (counts) search_.counts[bin] = counts[f * 256 + bin];
      }
      looked_at += search_.scan(static_cast<std::size_t>(features[f]), m, answer.split);
    }
    answer.more = looked_at < rules_.max_features && f < e_.d;
    search_.finish(answer.split);
    return answer;
  }

 private:
  bool take(const MergedNode& node) {
    search_.target.start_tree({nullptr, nullptr, node.class_weight, 0, true});
    return search_.target.take(node.totals);
  }
  double root_weight(const MergedNode& node) const {
    return node.root_weight < 0 ? search_.target.weight : node.root_weight;
  }

  Examples e_;
  Rules rules_;
  SplitSearch<Target> search_;
};

}  // namespace

std::unique_ptr<Merged> Merged::make(const Examples& examples, const Rules& rules) {
  if (examples.n_classes == 0) return std::make_unique<MergedOf<Numbers>>(examples, rules);
  if (examples.n_classes == 2) return std::make_unique<MergedOf<Classes<2>>>(examples, rules);
  return std::make_unique<MergedOf<Classes<0>>>(examples, rules);
}

}  // namespace surefit::forest
