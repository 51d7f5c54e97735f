// Forests from bins, under the sanitizers: every row of a bag ends in a leaf that counts it, on any number of threads.
#include <random>
#include <vector>

#include "check.hpp"
#include "tree/forest.hpp"

using namespace surefit::forest;

int main() {
  std::mt19937 random(0);
  for (std::size_t n : {1u, 2u, 50u, 700u}) {
    for (std::size_t n_classes : {0u, 2u, 4u}) {
      const std::size_t d = 5, n_trees = 4;
      std::vector<std::uint8_t> bins(n * d);
      std::vector<std::int32_t> codes(n), repeats(n), counts(n * n_trees), outside(n * n_trees);
      std::vector<double> y(n), thresholds;
      std::vector<std::int64_t> first{0};
      for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t b = 0; b < 20 * j; ++b) thresholds.push_back(static_cast<double>(b) + 0.5);
        first.push_back(static_cast<std::int64_t>(thresholds.size()));
        for (std::size_t i = 0; i < n; ++i) {
          bins[i * d + j] = random() % 10 == 0 ? kMissing : static_cast<std::uint8_t>(random() % (20 * j + 1));
        }
      }
      for (std::size_t i = 0; i < n; ++i) {
        codes[i] = n_classes ? static_cast<std::int32_t>(random() % n_classes) : 0;
        y[i] = static_cast<double>(random() % 7);
        repeats[i] = 1 + static_cast<std::int32_t>(random() % 3);
        for (std::size_t t = 0; t < n_trees; ++t) counts[t * n + i] = static_cast<std::int32_t>(i == 0 || random() % 2);
      }
      const Examples examples{bins.data(), n, d, n_classes ? codes.data() : nullptr, n_classes,
                              n_classes ? nullptr : y.data(), repeats.data(), thresholds.data(), first.data()};
      std::vector<Bag> bags;
      for (std::size_t t = 0; t < n_trees; ++t) bags.push_back({counts.data() + t * n, nullptr, nullptr, 17 * t});
      for (std::size_t least : {1u, 3u}) {
        const auto criterion = n_classes ? Criterion::entropy : least == 1 ? Criterion::squared_error : Criterion::poisson;
        const Rules rules{criterion, 2, 30, 2, least, 0.0, 0.0};
        const auto trees = grow(examples, rules, bags, outside.data(), 3);
        const auto again = grow(examples, rules, bags, nullptr, 1);
        for (std::size_t t = 0; t < n_trees; ++t) {
          const Grown& tree = trees[t];
          CHECK(tree.threshold == again[t].threshold && tree.value == again[t].value && tree.left == again[t].left);
          for (std::size_t i = 0; i < n; ++i) {
            const std::int32_t leaf = outside[t * n + i];
            CHECK((leaf < 0) == (counts[t * n + i] > 0));
            if (leaf >= 0) CHECK(tree.left[static_cast<std::size_t>(leaf)] < 0);
          }
          for (std::size_t node = 0; node < tree.left.size(); ++node) {
            if (tree.left[node] < 0) continue;
            const auto l = static_cast<std::size_t>(tree.left[node]), r = static_cast<std::size_t>(tree.right[node]);
            CHECK(l == node + 1 && r > l && r < tree.left.size());
            CHECK(tree.n_samples[l] + tree.n_samples[r] == tree.n_samples[node]);
            CHECK(tree.n_samples[l] >= static_cast<std::int64_t>(least));
          }
        }
      }
    }
  }
  return 0;
}
