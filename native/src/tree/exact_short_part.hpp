// The rows of a subtree with numbers of their own, 0 … m − 1, and copies of all that is read about them. One for each
// thread, filled again for each subtree.
#pragma once

#include <vector>

#include "tree/exact_part.hpp"

namespace surefit::exact_tree {

using Short = std::uint16_t;

class ShortPart {
 public:
  // lists: those of all rows, `stride` long; the subtree is places start … start + m − 1. short_of: by row, set here.
  void fill(const Columns& columns, const Targets& t, const Row* lists, std::size_t stride, const Row* rows,
            std::size_t start, std::size_t m, Short* short_of) {
    row_of_.assign(rows + start, rows + start + m);
    lists_.resize(columns.d * m), rows_.resize(m), marks_.resize(m);
    part = {&columns, m, lists_.data(), rows_.data(), row_of_.data(), marks_.data(), t};
    part.targets.n = m;
    if (t.y) part.targets.y = gathered(y_, t.y, t.n_outputs);
    if (t.code && !t.small_code) part.targets.code = gathered(code_, t.code, t.n_outputs);
    if (t.w) part.targets.w = gathered(w_, t.w, 1);
    if (t.small_code) part.targets.small_code = gathered(small_code_, t.small_code, 1);
    for (std::size_t i = 0; i < m; ++i) rows_[i] = short_of[row_of_[i]] = static_cast<Short>(i);
    for (std::size_t j = 0; j < columns.d; ++j) {
      const Row* from = lists + j * stride + start;
      Short* to = part.list(j);
      for (std::size_t i = 0; i < m; ++i) {
        to[i] = static_cast<Short>(short_of[from[i] & ~kNew<Row>] | (from[i] & kNew<Row> ? kNew<Short> : Short{0}));
      }
    }
  }

  Part<Short> part;

 private:
  template <class T>
  const T* gathered(std::vector<T>& to, const T* from, std::size_t width) {
    to.resize(row_of_.size() * width);
    for (std::size_t i = 0; i < row_of_.size(); ++i) std::copy_n(from + row_of_[i] * width, width, &to[i * width]);
    return to.data();
  }

  std::vector<Row> row_of_;
  std::vector<Short> lists_, rows_;
  std::vector<std::uint8_t> marks_;
  std::vector<double> y_, w_;
  std::vector<std::int32_t> code_;
  std::vector<std::uint8_t> small_code_;
};

}  // namespace surefit::exact_tree
