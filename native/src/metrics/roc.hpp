// The receiver operating characteristic of scores.
//
// With every row whose score is at least t called positive, tp(t) is the weight of the positive rows among them and
// fp(t) that of the negative ones. The curve is (fp, tp) for t from above all scores down through the distinct scores:
// rows of equal score move together, so ties are straight lines.
//
// Scores are finite. Each class is sorted by itself (radix.hpp), so no row carries its label along; one merge of the
// two sorted lists then meets every distinct score once. Weights are summed in the order of the scores, equal ones in
// the order of the rows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace surefit::roc {

template <class T>
struct Rows {
  const T* score;
  const std::uint8_t* positive;  // 1 or 0
  const double* weight;          // or nullptr: every row counts as one
  std::size_t n;
};

// out: fp, tp, threshold have places for n + 1 points each; the first is (0, 0, ∞). Returns how many are there.
// With `corners` a point is left out where the steps (Δfp, Δtp) into it and out of it are equal; the points of the
// largest and of the smallest score stay.
template <class T>
std::size_t curve(const Rows<T>& rows, bool corners, int n_threads, double* fp, double* tp, double* threshold);

// Pairs of a positive and a negative row: 2 · (pairs in which the positive one has the larger score) + (pairs with
// equal scores), the Mann–Whitney statistic counted in halves. Without weights; n ≤ 2³².
template <class T>
std::uint64_t half_pairs(const Rows<T>& rows, int n_threads);

// The area under the curve with weights: Σ wᵢ wⱼ over those pairs, equal scores half, over the product of the classes'
// weights, which are not zero.
template <class T>
double weighted_area(const Rows<T>& rows, int n_threads);

}  // namespace surefit::roc
