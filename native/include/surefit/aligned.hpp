// Memory on a cache-line boundary.
#pragma once

#include <algorithm>
#include <cstddef>
#include <new>
#include <utility>

namespace surefit {

template <class T>
class Aligned {
 public:
  Aligned() = default;
  explicit Aligned(std::size_t n) { reset(n); }
  Aligned(const Aligned&) = delete;
  Aligned(Aligned&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Aligned& operator=(Aligned other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Aligned() { ::operator delete(data_, std::align_val_t{64}); }

  // n numbers, zeros or whatever the memory holds; those before are gone.
  void reset(std::size_t n, bool zero = true) {
    if (n > static_cast<std::size_t>(-1) / 2 / sizeof(T)) throw std::bad_alloc();
    ::operator delete(data_, std::align_val_t{64});
    data_ = nullptr;
    data_ = static_cast<T*>(::operator new(n * sizeof(T) + 64, std::align_val_t{64}));
    size_ = n;
    if (zero) std::fill_n(data_, n, T{});
  }
  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) const { return data_[i]; }
  explicit operator bool() const { return data_ != nullptr; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace surefit
