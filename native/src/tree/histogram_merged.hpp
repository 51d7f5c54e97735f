// A tree grown from histograms of rows that are elsewhere, in parts: whoever holds a part splits its rows and counts the
// bins of its nodes, the sums over all parts come here. Integers add up exactly, so the tree is that of one part.
//
// Nodes are numbered as they come to be: the root is 0, and each split that is asked for adds its left child, then its
// right one. Splits are asked for ahead of time: of the nodes that wait, those that may still be split, all at once.
#pragma once

#include <memory>

#include "histogram_grow.hpp"

namespace surefit::histogram {

// One part: the nodes of the tree that is being grown as ranges of its rows.
class PartNodes {
 public:
  void start(std::size_t n_rows);
  // Splits a node by goes_left[bin of the feature]; its children are the next two nodes.
  void split(std::size_t node, Column column, const std::uint8_t* goes_left);
  std::size_t n_nodes() const { return first_.size(); }
  std::int64_t size(std::size_t node) const { return size_[node]; }
  const std::vector<std::int64_t>& first() const { return first_; }
  const std::vector<std::int64_t>& sizes() const { return size_; }
  // Adds the rows of a node to d × 256 cells, 2 or 4 numbers each.
  void count(std::size_t node, const BinnedRows& rows, const Statistics& statistics, std::int64_t* cells) const;

  std::vector<std::uint32_t> order;

 private:
  std::vector<std::uint32_t> scratch_;
  std::vector<std::int64_t> first_, size_;
};

struct Asked {
  std::vector<std::int64_t> node, feature;
  std::vector<std::uint8_t> goes_left;  // 256 for each split
  std::vector<std::int64_t> counted;    // nodes whose histograms are wanted
};

class MergedGrowth {
 public:
  virtual ~MergedGrowth() = default;
  virtual void take_root(const std::int64_t* cells) = 0;
  virtual const Asked& ask() = 0;  // no node: the tree is done
  // Rows of the two children of every node asked for, and the histograms of those to be counted.
  virtual void take(const std::int64_t* sizes, const std::int64_t* cells) = 0;
  virtual const Grown& grown() const = 0;
  virtual const std::vector<std::int64_t>& part_node() const = 0;  // for every node of the tree its number above

  static std::unique_ptr<MergedGrowth> make(Form form, const std::vector<Feature>& features,
                                            const std::vector<std::uint8_t>& has_missing, const Grid& grid,
                                            const Options& options, std::size_t n_rows);
};

}  // namespace surefit::histogram
