// Ward's linkage on centers and sizes: a cluster is its center, so distances need no matrix.
//
// A round finds the nearest cluster of those that have lost theirs, on a k-d tree of the centers, and merges all pairs that
// are each other's nearest. Where few pairs are, the nearest-neighbor chain goes on without a tree: from a cluster
// to its nearest, from there to its nearest … until two are each other's nearest.
#include <algorithm>
#include <limits>

#include "cluster/linkage.hpp"
#include "cluster/linkage_tree.hpp"
#include "surefit/parallel.hpp"

namespace surefit::linkage {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kLeavesOfTask = 16;
constexpr std::size_t kFewClusters = 256;  // from here on no tree is built
constexpr std::size_t kFewPairs = 64;      // less than one in so many clusters: the chain is faster

class Ward {
 public:
  Ward(const double* x, std::size_t n, std::size_t d, int n_threads) : d_(d), n_threads_(n_threads) {
    const Tree tree = build_tree(x, n, d, true, n_threads);
    std::vector<double> copies(n, 1.0);
    for (const auto& [first, other] : tree.copies) {
      merges_.push_back({first, other, 0.0});
      copies[first] += 1;
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (tree.slot[i] < 0) continue;
      center_.insert(center_.end(), x + i * d, x + (i + 1) * d);
      size_.push_back(copies[i]);
      first_.push_back(static_cast<std::int32_t>(i));
    }
    height_.assign(size_.size(), 0.0);
    nearest_.assign(size_.size(), -1);
    value_.assign(size_.size(), 0.0);
  }

  std::vector<Merge> run() {
    while (size_.size() > 1) {
      const std::size_t m = size_.size();
      if (m <= kFewClusters || round() * kFewPairs < m) chain(std::max<std::size_t>(1, size_.size() / 4));
    }
    return std::move(merges_);
  }

 private:
  // Merges b into a, a < b; names stay in rising order of first rows.
  void merge(std::size_t a, std::size_t b, double value) {
    const double share = size_[b] / (size_[a] + size_[b]);
    for (std::size_t k = 0; k < d_; ++k) center_[a * d_ + k] += share * (center_[b * d_ + k] - center_[a * d_ + k]);
    size_[a] += size_[b];
    height_[a] = std::max({value, height_[a], height_[b]});
    merges_.push_back({first_[a], first_[b], height_[a]});
    size_[b] = 0;
    nearest_[a] = -1;
  }

  // Clusters of size zero are gone; whose nearest is gone or changed has none.
  void compact() {
    std::vector<std::int32_t> place(size_.size(), -1);
    std::size_t m = 0;
    for (std::size_t i = 0; i < size_.size(); ++i) {
      if (size_[i] == 0) continue;
      std::copy_n(center_.begin() + static_cast<std::ptrdiff_t>(i * d_), d_, center_.begin() + static_cast<std::ptrdiff_t>(m * d_));
      size_[m] = size_[i];
      first_[m] = first_[i];
      height_[m] = height_[i];
      nearest_[m] = nearest_[i];
      value_[m] = value_[i];
      place[i] = static_cast<std::int32_t>(m++);
    }
    center_.resize(m * d_);
    size_.resize(m);
    first_.resize(m);
    height_.resize(m);
    nearest_.resize(m);
    value_.resize(m);
    for (std::int32_t& j : nearest_) j = j < 0 ? -1 : place[j];
  }

  // Returns how many pairs merged. If rounding has hidden every pair, all nearest clusters are found anew.
  std::size_t round() {
    find_nearest();
    const std::size_t m = size_.size();
    std::vector<std::int32_t> mate(m, -1);
    std::size_t n_pairs = 0;
    for (std::size_t i = 0; i < m; ++i) {
      const auto own = static_cast<std::int32_t>(i), j = nearest_[i];
      if (j > own && nearest_[j] == own) mate[i] = j, mate[j] = own, ++n_pairs;
    }
    for (std::int32_t& j : nearest_) {
      if (n_pairs == 0 || (j >= 0 && mate[j] >= 0)) j = -1;
    }
    for (std::size_t i = 0; i < m; ++i) {
      if (mate[i] > static_cast<std::int32_t>(i)) merge(i, static_cast<std::size_t>(mate[i]), value_[i]);
    }
    compact();
    return n_pairs;
  }

  void find_nearest() {
    const std::size_t m = size_.size();
    const Tree tree = build_tree(center_.data(), m, d_, false, n_threads_);
    std::vector<std::int32_t> partner(tree.n_slots, -1), node_group(tree.left.size());
    std::vector<double> value(tree.n_slots, 0.0), size(tree.n_slots, 1.0), least(tree.left.size());
    for (std::size_t s = 0; s < tree.n_slots; ++s) {
      if (tree.id[s] < 0) continue;
      size[s] = size_[tree.id[s]];
      const std::int32_t j = nearest_[tree.id[s]];
      partner[s] = j < 0 ? -1 : tree.slot[j];
      value[s] = j < 0 ? 0.0 : value_[tree.id[s]];
    }
    tree.fold(
        node_group.data(),
        [&](std::size_t node) { return tree.count[node] == 1 ? tree.id[tree.block[node] * kBlock] : -1; },
        [](std::int32_t, std::int32_t) { return -1; });
    tree.fold(
        least.data(),
        [&](std::size_t node) {
          const double* own = size.data() + static_cast<std::size_t>(tree.block[node]) * kBlock;
          return *std::min_element(own, own + tree.count[node]);
        },
        [](double p, double q) { return std::min(p, q); });
    const Search search{tree.view(size.data(), least.data()), tree.id.data(), node_group.data(), nullptr, value.data(),
                        partner.data()};
    const auto look = SUREFIT_TABLE(linkage_search).ward;
    const std::size_t n_leaves = tree.leaves.size();
    parallel_for((n_leaves + kLeavesOfTask - 1) / kLeavesOfTask, n_threads_, [&](std::size_t task, int) {
      const std::size_t end = std::min(n_leaves, (task + 1) * kLeavesOfTask);
      for (std::size_t l = task * kLeavesOfTask; l < end; ++l) look(search, static_cast<std::size_t>(tree.leaves[l]));
    });
    for (std::size_t s = 0; s < tree.n_slots; ++s) {
      if (tree.id[s] < 0) continue;
      nearest_[tree.id[s]] = partner[s] < 0 ? -1 : tree.id[partner[s]];
      value_[tree.id[s]] = value[s];
    }
  }

  // So many merges by the chain. Each step goes to a strictly nearer cluster, or back: it ends.
  void chain(std::size_t n_merges) {
    const std::size_t m = size_.size(), n_slots = (m + kBlock - 1) / kBlock * kBlock;
    Aligned<double> points(n_slots * d_), sizes(n_slots), values(n_slots);
    std::fill_n(points.data(), n_slots * d_, kInfinity);
    std::fill_n(sizes.data(), n_slots, 1.0);
    const auto put = [&](std::size_t i) {
      double* block = points.data() + i / kBlock * kBlock * d_ + i % kBlock;
      for (std::size_t k = 0; k < d_; ++k) block[k * kBlock] = size_[i] > 0 ? center_[i * d_ + k] : kInfinity;
      sizes[i] = size_[i] > 0 ? size_[i] : 1;
    };
    for (std::size_t i = 0; i < m; ++i) put(i);
    const auto scan = SUREFIT_TABLE(linkage_search).ward_scan;
    std::vector<std::size_t> path;
    std::size_t lowest = 0;
    const auto step = [&] {
      if (path.empty()) {
        while (size_[lowest] == 0) ++lowest;
        path.push_back(lowest);
      }
      const std::size_t tip = path.back();
      scan(center_.data() + tip * d_, size_[tip], points.data(), sizes.data(), m, d_, values.data());
      values[tip] = kInfinity;
      std::size_t best = path.size() > 1 ? path[path.size() - 2] : (tip == 0 ? 1 : 0);
      for (std::size_t j = 0; j < m; ++j) {
        if (values[j] < values[best]) best = j;
      }
      if (path.size() < 2 || best != path[path.size() - 2]) {
        path.push_back(best);
        return false;
      }
      path.resize(path.size() - 2);
      const auto [a, b] = std::minmax(tip, best);
      merge(a, b, values[best]);
      put(a);
      put(b);
      return true;
    };
    for (std::size_t made = 0; made < n_merges && made + 1 < m;) {
      parallel_for(1, 1, [&](std::size_t, int) {  // looks for signals
        for (std::size_t i = 0; i < 64 && made < n_merges && made + 1 < m; ++i) made += step();
      });
    }
    std::fill(nearest_.begin(), nearest_.end(), -1);
    compact();
  }

  std::size_t d_;
  int n_threads_;
  std::vector<double> center_, size_, height_, value_;
  std::vector<std::int32_t> first_, nearest_;
  std::vector<Merge> merges_;
};

}  // namespace

std::vector<Merge> ward(const double* x, std::size_t n, std::size_t d, int n_threads) {
  return Ward(x, n, d, n_threads).run();
}

}  // namespace surefit::linkage
