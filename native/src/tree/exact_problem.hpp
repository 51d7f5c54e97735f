// What an exact tree is grown from and what comes out: shared by the search of a node, its division and the growth.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tree/exact_columns.hpp"

namespace surefit::exact_tree {

enum class Criterion { gini, entropy, squared_error, poisson, absolute_error };

// Decreases that differ by at most this share of the node's weighted impurity are equal.
constexpr double kTie = 1e-12;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Options {
  Criterion criterion;
  bool random_splitter;
  std::size_t max_depth, min_samples_split, min_samples_leaf;
  double min_weight_leaf;
  std::size_t max_features, max_leaf_nodes;  // max_leaf_nodes 0: no limit
  double min_impurity_decrease;
  const std::int8_t* monotonic;  // nullptr: none; −1, 0, 1 for each feature
  std::uint64_t seed;
  int n_threads;
};

// The targets of rows 0 … (row numbers, or the numbers of a part of them).
struct Targets {
  std::size_t n_outputs = 1, n_classes = 1;  // the largest number of classes of an output
  const double* y = nullptr;                 // n × outputs, minus `shift`; nullptr for classes
  const std::int32_t* code = nullptr;        // n × outputs; nullptr for numbers
  const double* w = nullptr;                 // nullptr: all one
  const double* shift = nullptr;             // outputs: y + shift is what was given
  const std::uint8_t* small_code = nullptr;  // the codes again, where there is one output of at most 256 classes
  std::size_t n = 0;                         // numbers of rows are below this
};

// A node that waits to be grown: places start … end − 1 of every list.
struct Node {
  std::size_t start, end, depth;
  std::uint64_t key;
  std::int64_t parent;
  bool is_left;
  double lower, upper;  // bounds of its value under monotonic constraints

  std::size_t size() const { return end - start; }
};

using CategorySet = std::array<std::uint64_t, 4>;

struct Split {
  std::int64_t feature = -1;  // −1: none
  double decrease = -kInfinity, threshold = -2.0;
  bool missing_left = false, by_set = false;
  CategorySet set{};
  std::size_t n_first = 0;  // entries at the front of the feature's list that go left (thresholds only)
  double middle = 0;        // between the values of the children, where the feature is constrained
};

// Nodes as they are finished.
struct Grown {
  std::vector<std::int64_t> left, right, feature, count, category_row;
  std::vector<double> threshold, impurity, weight, value;
  std::vector<std::uint8_t> missing_left;
  std::vector<CategorySet> categories;

  std::size_t size() const { return left.size(); }
};

}  // namespace surefit::exact_tree
