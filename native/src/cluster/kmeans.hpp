// k-means over a block of rows: the Lloyd pass, the hashes that order rows canonically, and k-means++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "cluster/kmeans_leaf.hpp"

namespace surefit::kmeans {

// Zeroed memory on a cache-line boundary.
template <class T>
class Aligned {
 public:
  Aligned() = default;
  explicit Aligned(std::size_t n) { reset(n); }
  Aligned(const Aligned&) = delete;
  Aligned& operator=(const Aligned&) = delete;
  Aligned(Aligned&& other) noexcept : data_(other.data_), size_(other.size_) {
    other.data_ = nullptr;
    other.size_ = 0;
  }
  ~Aligned() { ::operator delete(data_, std::align_val_t{64}); }
  void reset(std::size_t n, bool zero = true) {
    if (n > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    ::operator delete(data_, std::align_val_t{64});
    data_ = nullptr;
    data_ = static_cast<T*>(::operator new(n * sizeof(T) + 64, std::align_val_t{64}));
    size_ = n;
    if (zero) {
      for (std::size_t i = 0; i < n; ++i) data_[i] = T{};
    }
  }
  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

// What a resident block keeps between passes so that most rows need not be scored again. Never changes a result.
struct Scratch {
  std::vector<std::int32_t> label;
  std::vector<unsigned char> upper, lower;  // n values of the rows' type
  std::vector<double> centres, shift;       // for which the bounds hold
  double scale = 0, mean_sq_dist = 0;
  std::size_t item_size = 0;
  bool seen = false, valid = false;
};

struct Statistic {
  std::vector<double> weight;  // (k,)
  std::vector<double> sums;    // (k, d): of w (x − c)·scale for dense rows, of w x·scale for CSR
  double inertia = 0;          // scaled by scale²
  std::uint64_t fingerprint = 0;
};

template <class T>
struct Problem {
  const double* w;        // (n,) or nullptr
  const double* centres;  // (k, d)
  std::size_t k;
  const T* shift;  // (d,) or nullptr; not for CSR
  double scale;    // a power of two
  std::uint64_t first_row;
  std::size_t leaf_rows;
  int n_threads;
};

// Labels and squared distances to the own centre (times scale²) are written where the pointers are not null.
template <class Rows>
void lloyd_pass(const Rows& rows, const Problem<typename Rows::Scalar>& problem, Scratch* scratch,
                std::int32_t* label, double* sq_dist, Statistic* out);

// Rows with padded copies of the last ones; `tail` must outlive the result.
template <class T>
Dense<T> dense_rows(const T* x, std::size_t n, std::size_t d, Aligned<T>& tail);
// Throws std::invalid_argument on offsets or column numbers out of range.
template <class T, class I>
Csr<T, I> csr_rows(const T* data, std::size_t n_data, const I* indices, const I* indptr, std::size_t n, std::size_t d);

// A hash of the nonzero (column, value) pairs of each row.
template <class Rows>
void hash_rows(const Rows& rows, int n_threads, std::uint64_t* out);

// Row numbers by (hash, row number).
void order_by_hash(const std::uint64_t* hash, std::size_t n, std::int64_t* order);

enum class Seeding { plus_plus, farthest };

// k-means++ (or farthest points) on rows taken in the given order. uniform: 1 + (k−1)·n_trials numbers in [0, 1).
// chosen[c] is a position in `order`; returns the potential Σ w·min‖x − c‖² (times scale²).
template <class Rows>
double seed(const Rows& rows, const std::int64_t* order, std::size_t n, const double* w, std::size_t k,
            std::size_t n_trials, const double* uniform, double scale, Seeding seeding, std::size_t leaf_rows,
            int n_threads, std::int64_t* chosen);

}  // namespace surefit::kmeans
