#include "metrics/roc.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "surefit/compensated.hpp"
#include "surefit/parallel.hpp"
#include "surefit/radix.hpp"

namespace surefit::roc {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;
constexpr std::size_t kFewRows = 256;

// A row in the list of its class. Keys are turned, so that the largest score comes first.
template <class T>
struct Plain {
  radix::Key<T> key;
  static constexpr double weight() { return 1.0; }
  static Plain of(radix::Key<T> key, const double*, std::size_t) { return {key}; }
};

template <class T>
struct Weighted {
  radix::Key<T> key;
  double w;
  double weight() const { return w; }
  static Weighted of(radix::Key<T> key, const double* weight, std::size_t row) { return {key, weight[row]}; }
};

template <class Item>
Item* sorted(Item* items, Item* other, std::size_t n) {
  if (n > kFewRows) return radix::sorted<std::size_t>(items, other, n);
  std::stable_sort(items, items + n, [](const Item& a, const Item& b) { return a.key < b.key; });
  return items;
}

// The rows of the two classes, each list sorted.
template <class T, class Item>
class SortedClasses {
 public:
  SortedClasses(const Rows<T>& rows, int n_threads) : space_(new Item[2 * rows.n]) {
    const std::size_t n_blocks = (rows.n + kBlock - 1) / kBlock;
    std::vector<std::size_t> before(n_blocks + 1);  // positive rows before each block
    parallel_for(n_blocks, n_threads, [&](std::size_t block, int) {
      const std::size_t lo = block * kBlock, hi = std::min(lo + kBlock, rows.n);
      std::size_t count = 0;
      for (std::size_t i = lo; i < hi; ++i) count += rows.positive[i];
      before[block + 1] = count;
    });
    for (std::size_t block = 0; block < n_blocks; ++block) before[block + 1] += before[block];
    count_[1] = before[n_blocks];
    count_[0] = rows.n - count_[1];

    Item* const first[2] = {space_.get() + count_[1], space_.get()};  // positive rows in front
    parallel_for(n_blocks, n_threads, [&](std::size_t block, int) {
      const std::size_t lo = block * kBlock, hi = std::min(lo + kBlock, rows.n);
      Item* next[2] = {first[0] + (lo - before[block]), first[1] + before[block]};
      for (std::size_t i = lo; i < hi; ++i) {
        const auto key = static_cast<radix::Key<T>>(~radix::key_of(rows.score[i]));
        *next[rows.positive[i]]++ = Item::of(key, rows.weight, i);
      }
    });
    parallel_for(2, n_threads, [&](std::size_t c, int) {
      list_[c] = sorted(first[c], first[c] + rows.n, count_[c]);
    });
  }

  // visit(score, tp, fp) for each distinct score, from the largest, with the sums that include its rows.
  template <class Visit>
  void merge(Visit&& visit) const {
    const Item *p = list_[1], *const p_end = p + count_[1], *q = list_[0], *const q_end = q + count_[0];
    double tp = 0, fp = 0;
    while (p < p_end || q < q_end) {
      const auto key = q == q_end || (p < p_end && p->key < q->key) ? p->key : q->key;
      for (; p < p_end && p->key == key; ++p) tp += p->weight();
      for (; q < q_end && q->key == key; ++q) fp += q->weight();
      visit(static_cast<double>(radix::value_of<T>(static_cast<radix::Key<T>>(~key))), tp, fp);
    }
  }

 private:
  std::unique_ptr<Item[]> space_;
  std::size_t count_[2];
  Item* list_[2];
};

struct Points {
  double *fp, *tp, *threshold;
  std::size_t size = 0;

  void push(double value, double t, double f) {
    fp[size] = f, tp[size] = t, threshold[size] = value;
    ++size;
  }
};

template <class T, class Item>
std::size_t curve_of(const Rows<T>& rows, bool corners, int n_threads, Points points) {
  points.push(std::numeric_limits<double>::infinity(), 0.0, 0.0);
  double step_t = 0, step_f = 0;  // into the last point, if that may be left out
  bool inner = false;             // whether it may: it is not that of the largest score
  SortedClasses<T, Item>(rows, n_threads).merge([&](double value, double tp, double fp) {
    const double dt = tp - points.tp[points.size - 1], df = fp - points.fp[points.size - 1];
    if (corners && inner && dt == step_t && df == step_f) --points.size;
    inner = points.size > 1;
    points.push(value, tp, fp);
    step_t = dt, step_f = df;
  });
  return points.size;
}

}  // namespace

template <class T>
std::size_t curve(const Rows<T>& rows, bool corners, int n_threads, double* fp, double* tp, double* threshold) {
  const Points points{fp, tp, threshold};
  return rows.weight ? curve_of<T, Weighted<T>>(rows, corners, n_threads, points)
                     : curve_of<T, Plain<T>>(rows, corners, n_threads, points);
}

// Σ over distinct scores: (negative rows of this score) · (2 · positive rows above it + positive rows of it).
template <class T>
std::uint64_t half_pairs(const Rows<T>& rows, int n_threads) {
  std::uint64_t sum = 0;
  double above = 0, counted = 0;
  SortedClasses<T, Plain<T>>(rows, n_threads).merge([&](double, double tp, double fp) {
    sum += static_cast<std::uint64_t>(fp - counted) * static_cast<std::uint64_t>(above + tp);
    above = tp, counted = fp;
  });
  return sum;
}

template <class T>
double weighted_area(const Rows<T>& rows, int n_threads) {
  double sum = 0, low = 0, above = 0, counted = 0;
  SortedClasses<T, Weighted<T>>(rows, n_threads).merge([&](double, double tp, double fp) {
    low += two_sum(sum, (fp - counted) * (0.5 * (above + tp)));
    above = tp, counted = fp;
  });
  return (sum + low) / counted / above;
}

#define SUREFIT_ROC(T)                                                                    \
  template std::size_t curve<T>(const Rows<T>&, bool, int, double*, double*, double*);    \
  template std::uint64_t half_pairs<T>(const Rows<T>&, int);                              \
  template double weighted_area<T>(const Rows<T>&, int);

SUREFIT_ROC(float)
SUREFIT_ROC(double)

}  // namespace surefit::roc
