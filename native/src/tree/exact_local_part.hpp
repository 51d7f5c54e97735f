// Some rows of a part with numbers of their own, 0 … m − 1, and copies of all that is read about them, so that a cache
// holds it. One for each thread, filled again for each subtree.
#pragma once

#include <vector>

#include "tree/exact_part.hpp"

namespace surefit::exact_tree {

template <class Id>
class LocalPart {
 public:
  // Places start … start + m − 1 of a part. number_of: by its numbers, set here.
  void fill(const Part<Row>& from, std::size_t start, std::size_t m, Row* number_of) {
    const Columns& columns = *from.columns;
    const Targets& t = from.targets;
    const Row* rows = from.rows + start;
    row_of_.resize(m), lists_.resize(columns.d * m), rows_.resize(m), marks_.resize(m);
    part = {&columns, m, lists_.data(), rows_.data(), row_of_.data(), marks_.data(), t};
    part.targets.n = m;
    if (t.y) part.targets.y = gathered(y_, t.y, rows, t.n_outputs);
    if (t.code && !t.small_code) part.targets.code = gathered(code_, t.code, rows, t.n_outputs);
    if (t.w) part.targets.w = gathered(w_, t.w, rows, 1);
    if (t.small_code) part.targets.small_code = gathered(small_code_, t.small_code, rows, 1);
    for (std::size_t i = 0; i < m; ++i) {
      row_of_[i] = from.row_of ? from.row_of[rows[i]] : rows[i];
      rows_[i] = static_cast<Id>(i), number_of[rows[i]] = static_cast<Row>(i);
    }
    for (std::size_t j = 0; j < columns.d; ++j) renumber(from.list(j) + start, m, number_of, part.list(j));
  }

  Part<Id> part;

 private:
  static void renumber(const Row* from, std::size_t m, const Row* number_of, Id* to) {
    constexpr Row kRow = Part<Row>::kId;
    for (std::size_t i = 0; i < m; ++i) {
      __builtin_prefetch(number_of + (from[std::min(i + kAhead, m - 1)] & kRow), 0, 2);
      to[i] = static_cast<Id>(number_of[from[i] & kRow] | (from[i] & kNew<Row> ? kNew<Id> : Id{0}));
    }
  }

  template <class T>
  const T* gathered(std::vector<T>& to, const T* from, const Row* rows, std::size_t width) {
    to.resize(row_of_.size() * width);
    for (std::size_t i = 0; i < row_of_.size(); ++i) std::copy_n(from + rows[i] * width, width, &to[i * width]);
    return to.data();
  }

  std::vector<Row> row_of_;
  std::vector<Id> lists_, rows_;
  std::vector<std::uint8_t> marks_;
  std::vector<double> y_, w_;
  std::vector<std::int32_t> code_;
  std::vector<std::uint8_t> small_code_;
};

}  // namespace surefit::exact_tree
