// Rows of a forest in parts, under the sanitizers: sums and histograms of parts add up to those of all, bit by bit, and
// the split found from them is that of the tree grown from all rows.
#include <random>
#include <vector>

#include "check.hpp"
#include "tree/forest_merged.hpp"
#include "tree/forest_part.hpp"

using namespace surefit::forest;

namespace {

struct Added {
  PartTotals totals;
  Rest rest;
  std::vector<double> cells;
  std::vector<std::int64_t> counts;
};

void add(PartTotals& to, const PartTotals& from) {
  to.n += from.n, to.rows += from.rows, to.totals.sum += from.totals.sum;
  if (to.totals.weights.empty()) to.totals.weights.resize(from.totals.weights.size());
  for (std::size_t k = 0; k < from.totals.weights.size(); ++k) to.totals.weights[k] += from.totals.weights[k];
  to.totals.low = std::min(to.totals.low, from.totals.low);
  to.totals.high = std::max(to.totals.high, from.totals.high);
}

}  // namespace

int main() {
  std::mt19937 random(0);
  const std::size_t n = 3 * kWide, d = 3;
  std::vector<std::uint8_t> bins(n * d);
  std::vector<std::int32_t> codes(n), repeats(n), counts(n);
  std::vector<double> y(n), thresholds;
  std::vector<std::int64_t> first{0};
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t b = 0; b < 30; ++b) thresholds.push_back(static_cast<double>(b) + 0.5);
    first.push_back(static_cast<std::int64_t>(thresholds.size()));
    for (std::size_t i = 0; i < n; ++i) bins[i * d + j] = random() % 9 ? static_cast<std::uint8_t>(random() % 31) : kMissing;
  }
  for (std::size_t i = 0; i < n; ++i) {
    repeats[i] = 1 + static_cast<std::int32_t>(random() % 3);
    counts[i] = i == 0 ? 1 : static_cast<std::int32_t>(random() % 4);
  }
  const std::vector<std::int64_t> features{2, 0, 1};
  for (std::size_t n_classes : {0u, 2u, 3u}) {
    for (std::size_t i = 0; i < n; ++i) {
      y[i] = bins[i * d] / 3.0 + static_cast<double>(random() % 1000) / 7.0;
      if (n_classes) codes[i] = static_cast<std::int32_t>((bins[i * d] / 8 + random() % 3) % n_classes);
    }
    const auto criterion = n_classes ? Criterion::gini : Criterion::squared_error;
    const Rules rules{criterion, d, 1, 2, 5, 0.0, 0.0};
    const auto part_of = [&](std::size_t lo, std::size_t hi) {
      return Examples{bins.data() + lo * d, hi - lo, d, n_classes ? codes.data() + lo : nullptr, n_classes,
                      n_classes ? nullptr : y.data() + lo, repeats.data() + lo, thresholds.data(), first.data(),
                      nullptr, exponent_above(1000.0)};
    };
    const std::size_t width = n_classes ? n_classes : 2;
    std::vector<Added> found;
    for (const std::vector<std::size_t>& cuts : {std::vector<std::size_t>{0, n}, {0, 1000, 1000, 9001, n}}) {
      Added sum;
      sum.cells.resize(d * 256 * width), sum.counts.resize(d * 256);
      std::vector<Examples> rows;
      std::vector<std::unique_ptr<Part>> parts;
      for (std::size_t p = 0; p + 1 < cuts.size(); ++p) rows.push_back(part_of(cuts[p], cuts[p + 1]));
      for (std::size_t p = 0; p < rows.size(); ++p) {
        parts.push_back(Part::make(rows[p], criterion));
        parts.back()->start({{counts.data() + cuts[p], nullptr, nullptr, 0, true}});
        add(sum.totals, parts.back()->totals(0));
      }
      for (auto& part : parts) {
        std::vector<double> cells(sum.cells.size());
        const Rest rest = part->histograms(0, sum.totals.totals, features.data(), d, cells.data(), sum.counts.data());
        sum.rest.spread += rest.spread, sum.rest.sum += rest.sum;
        for (std::size_t i = 0; i < cells.size(); ++i) sum.cells[i] += cells[i];
      }
      found.push_back(sum);
    }
    CHECK(found[0].cells == found[1].cells && found[0].counts == found[1].counts);
    CHECK(found[0].rest.spread == found[1].rest.spread && found[0].totals.totals.sum == found[1].totals.totals.sum);
    const Added& all = found[1];
    const Examples whole = part_of(0, n);
    const Grown tree = grow(whole, rules, {{counts.data(), nullptr, nullptr, 7, true}}, nullptr, 1)[0];
    std::vector<double> value;
    // all features are looked at, in the order of the columns
    std::vector<double> cells(all.cells.size());
    std::vector<std::int64_t> rows_in(all.counts.size());
    const std::vector<std::int64_t> columns{0, 1, 2};
    for (std::size_t f = 0; f < d; ++f) {
      const auto to = static_cast<std::size_t>(features[f]);
      std::copy_n(all.cells.data() + f * 256 * width, 256 * width, cells.data() + to * 256 * width);
      std::copy_n(all.counts.data() + f * 256, 256, rows_in.data() + to * 256);
    }
    const auto merged = Merged::make(whole, rules);
    const MergedNode node{0, all.totals.rows, -1.0, nullptr, all.totals.totals};
    CHECK(merged->look(node).second);
    const MergedAnswer answer = merged->search(node, all.rest, columns.data(), d, cells.data(), rows_in.data(), value);
    CHECK(answer.split.found && !answer.more);
    CHECK(static_cast<std::int32_t>(answer.split.feature) == tree.feature[0] && answer.split.threshold == tree.threshold[0]);
    CHECK(answer.impurity == tree.impurity[0] && answer.weight == tree.weight[0]);
    for (std::size_t k = 0; k < value.size(); ++k) CHECK(value[k] == tree.value[k]);
  }
  return 0;
}
