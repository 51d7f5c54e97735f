// The closest partner of a point or cluster, on a k-d tree: the work of one leaf of queries.
//
// Points lie in blocks of kBlock, coordinate by coordinate: number k of the point in lane l of block b is at
// points[(b·d + k)·kBlock + l]. The place b·kBlock + l of a point is its slot.
//
// The value of a pair is w·Σ(x − y)² or Σ|x − y|, with w = 1, or w = 2|A||B| / (|A| + |B|) for clusters of those sizes (Ward).
// It is computed coordinate after coordinate, so (x, y) and (y, x) have the same bits. Pairs of equal value are ordered by
// the smaller, then the larger of their ids: of all pairs no two are equal.
#pragma once

#include <cstddef>
#include <cstdint>

#include "surefit/simd.hpp"

namespace surefit::linkage {

constexpr std::size_t kBlock = 8;
constexpr std::size_t kLeafPoints = 16;
constexpr std::size_t kPad = 4;  // boxes and rows have a multiple of so many numbers
constexpr std::size_t kStack = 128;  // nodes that wait: the depth of a tree of 2^32 points and more

inline std::size_t padded(std::size_t d) { return (d + kPad - 1) / kPad * kPad; }

struct TreeView {
  std::size_t d;
  const std::int32_t* left;    // of each node: its left child (the right one is the next), −1 in a leaf
  const std::int32_t* block;   // first block of a leaf
  const std::int32_t* count;   // points of a leaf
  const double* box;           // lows, then highs: 2·padded(d) numbers of each node
  const double* points;
  const double* rows;          // the same points, row after row of padded(d) numbers
  const std::int32_t* id;      // of each slot
  const double* size;          // of each slot; nullptr: all weigh alike
  const double* least_size;    // of each node
};

struct Search {
  TreeView tree;
  const std::int32_t* group;       // of each slot: partners are looked for in other groups
  const std::int32_t* node_group;  // the group of all points of a node, −1 if there are several
  double* group_bound;             // partners farther than this are of no use to the group; nullptr: no bound
  double* value;                   // of each slot: that of its partner; without one, no partner is this near
  std::int32_t* partner;           // of each slot: a slot, −1 for none
};

constexpr std::size_t kAlone = 32;  // coordinates up to which queries go down the tree one by one

// The nearest others of each slot, in the order of (value, id); fewer where there are no more: slot −1.
struct Neighbors {
  TreeView tree;
  std::size_t n;  // of each slot
  double* value;
  std::int32_t* slot;
};

struct SearchLoops {
  void (*squared)(const Search&, std::size_t leaf);
  void (*absolute)(const Search&, std::size_t leaf);
  void (*squared_neighbors)(const Neighbors&, std::size_t leaf);
  void (*absolute_neighbors)(const Neighbors&, std::size_t leaf);
  void (*ward)(const Search&, std::size_t leaf);
  // Ward values of one cluster (row-major center, size) to all of n in blocks.
  void (*ward_scan)(const double* center, double size, const double* points, const double* sizes, std::size_t n,
                    std::size_t d, double* out);
};

}  // namespace surefit::linkage

SUREFIT_TABLES(surefit::linkage::SearchLoops, linkage_search)
