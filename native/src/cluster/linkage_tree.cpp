#include "cluster/linkage_tree.hpp"

#include <algorithm>
#include <limits>

namespace surefit::linkage {
namespace {

constexpr std::size_t kSample = 101;
constexpr int kByValue = 64;  // levels that keep equal coordinates on one side, so that equal rows meet in one leaf

struct Part {
  std::size_t node, lo, hi;
  int depth;
};

class Builder {
 public:
  Builder(const double* x, std::size_t n, std::size_t d, bool merge_copies)
      : x_(x), n_(n), d_(d), merge_copies_(merge_copies), row_(n) {
    tree_.d = d;
    tree_.slot.assign(n, -1);
    for (std::size_t i = 0; i < n; ++i) row_[i] = static_cast<std::int32_t>(i);
  }

  Tree build() {
    std::vector<Part> waiting{{new_node(), 0, n_, 0}};
    while (!waiting.empty()) {
      const Part part = waiting.back();
      waiting.pop_back();
      const std::size_t widest = measure(part);
      const bool one_place = box_[part.node * 2 * d_ + widest] == box_[part.node * 2 * d_ + d_ + widest];
      if (part.hi - part.lo <= kLeafPoints || (one_place && merge_copies_)) {
        make_leaf(part);
        continue;
      }
      const std::size_t middle = split(part, widest, one_place || part.depth >= kByValue);
      const std::size_t left = new_node();
      new_node();
      tree_.left[part.node] = static_cast<std::int32_t>(left);
      waiting.push_back({left + 1, middle, part.hi, part.depth + 1});
      waiting.push_back({left, part.lo, middle, part.depth + 1});
    }
    return finish();
  }

 private:
  std::size_t new_node() {
    tree_.left.push_back(-1);
    tree_.block.push_back(-1);
    tree_.count.push_back(0);
    box_.resize(box_.size() + 2 * d_);
    return tree_.left.size() - 1;
  }

  const double* row(std::size_t place) const { return x_ + static_cast<std::size_t>(row_[place]) * d_; }

  // The box of a part, and its widest coordinate.
  std::size_t measure(const Part& part) {
    double* low = box_.data() + part.node * 2 * d_;
    double* high = low + d_;
    std::copy_n(row(part.lo), d_, low);
    std::copy_n(row(part.lo), d_, high);
    for (std::size_t i = part.lo + 1; i < part.hi; ++i) {
      const double* x = row(i);
      for (std::size_t k = 0; k < d_; ++k) {
        low[k] = std::min(low[k], x[k]);
        high[k] = std::max(high[k], x[k]);
      }
    }
    std::size_t widest = 0;
    for (std::size_t k = 1; k < d_; ++k) {
      if (high[k] - low[k] > high[widest] - low[widest]) widest = k;
    }
    return widest;
  }

  // Rows below the median (of a sample, where there are many) to the left, the others to the right; neither is empty.
  std::size_t split(const Part& part, std::size_t k, bool by_rank) {
    const auto begin = row_.begin() + static_cast<std::ptrdiff_t>(part.lo);
    const auto end = row_.begin() + static_cast<std::ptrdiff_t>(part.hi);
    const std::size_t count = part.hi - part.lo;
    const auto key = [this, k](std::int32_t i) { return x_[static_cast<std::size_t>(i) * d_ + k]; };
    if (by_rank) {
      const auto middle = begin + static_cast<std::ptrdiff_t>(count / 2);
      std::nth_element(begin, middle, end, [&](std::int32_t i, std::int32_t j) { return key(i) < key(j); });
      return part.lo + count / 2;
    }
    double sample[kSample];
    const std::size_t n_sample = std::min(count, kSample);
    for (std::size_t i = 0; i < n_sample; ++i) sample[i] = key(begin[static_cast<std::ptrdiff_t>(i * count / n_sample)]);
    std::nth_element(sample, sample + n_sample / 2, sample + n_sample);
    const double value = sample[n_sample / 2];
    auto cut = std::partition(begin, end, [&](std::int32_t i) { return key(i) < value; });
    if (cut == begin) cut = std::partition(begin, end, [&](std::int32_t i) { return key(i) <= value; });
    return static_cast<std::size_t>(cut - row_.begin());
  }

  void make_leaf(const Part& part) {
    std::sort(row_.begin() + static_cast<std::ptrdiff_t>(part.lo), row_.begin() + static_cast<std::ptrdiff_t>(part.hi));
    tree_.block[part.node] = static_cast<std::int32_t>(tree_.id.size() / kBlock);
    const std::size_t first = tree_.id.size();
    for (std::size_t i = part.lo; i < part.hi; ++i) {
      const std::int32_t same = merge_copies_ ? copy_of(first, i) : -1;
      if (same >= 0) {
        tree_.copies.emplace_back(same, row_[i]);
      } else {
        tree_.slot[row_[i]] = static_cast<std::int32_t>(tree_.id.size());
        tree_.id.push_back(row_[i]);
      }
    }
    tree_.count[part.node] = static_cast<std::int32_t>(tree_.id.size() - first);
    while (tree_.id.size() % kBlock != 0) tree_.id.push_back(-1);
    tree_.leaves.push_back(static_cast<std::int32_t>(part.node));
  }

  std::int32_t copy_of(std::size_t first, std::size_t place) const {
    for (std::size_t s = first; s < tree_.id.size(); ++s) {
      const double* other = x_ + static_cast<std::size_t>(tree_.id[s]) * d_;
      if (std::equal(other, other + d_, row(place))) return tree_.id[s];
    }
    return -1;
  }

  Tree finish() {
    tree_.n_slots = tree_.id.size();
    const std::size_t wide = padded(d_), n_nodes = tree_.left.size();
    tree_.box.reset(n_nodes * 2 * wide);
    for (std::size_t i = 0; i < 2 * n_nodes; ++i) std::copy_n(box_.data() + i * d_, d_, tree_.box.data() + i * wide);
    tree_.rows.reset(tree_.n_slots * wide);
    tree_.points.reset(tree_.n_slots * d_, false);
    for (std::size_t s = 0; s < tree_.n_slots; ++s) {
      double* block = tree_.points.data() + (s / kBlock) * kBlock * d_ + s % kBlock;
      for (std::size_t k = 0; k < d_; ++k) {
        block[k * kBlock] = tree_.id[s] < 0 ? std::numeric_limits<double>::infinity()
                                            : x_[static_cast<std::size_t>(tree_.id[s]) * d_ + k];
        if (tree_.id[s] >= 0) tree_.rows[s * wide + k] = block[k * kBlock];
      }
    }
    return std::move(tree_);
  }

  const double* x_;
  std::size_t n_, d_;
  bool merge_copies_;
  std::vector<std::int32_t> row_;
  std::vector<double> box_;
  Tree tree_;
};

}  // namespace

Tree build_tree(const double* x, std::size_t n, std::size_t d, bool merge_copies) {
  return Builder(x, n, d, merge_copies).build();
}

}  // namespace surefit::linkage
