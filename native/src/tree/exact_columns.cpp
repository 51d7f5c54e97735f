#include "tree/exact_columns.hpp"

#include <algorithm>
#include <memory>

#include "surefit/parallel.hpp"
#include "surefit/radix.hpp"

namespace surefit::exact_tree {
namespace {

template <class T>
struct Item {
  radix::Key<T> key;
  Row row;
};

constexpr std::size_t kFewRows = 256;

template <class T>
Item<T>* sorted(Item<T>* items, Item<T>* other, std::size_t n) {
  if (n > kFewRows) return radix::sorted<Row>(items, other, n);
  std::sort(items, items + n, [](const Item<T>& a, const Item<T>& b) {
    return a.key < b.key || (a.key == b.key && a.row < b.row);
  });
  return items;
}

}  // namespace

template <class T>
void presort(const T* x, std::size_t n, std::size_t d, Row* lists, std::uint8_t* missing, int n_threads) {
  const std::size_t n_workers = static_cast<std::size_t>(std::max(n_threads, 1));
  std::unique_ptr<Item<T>[]> space(new Item<T>[2 * n * std::min(n_workers, std::max<std::size_t>(d, 1))]);
  parallel_for(d, n_threads, [&](std::size_t j, int thread) {
    Item<T>* items = space.get() + 2 * n * static_cast<std::size_t>(thread);
    for (std::size_t i = 0; i < n; ++i) items[i] = {radix::key_of(x[i * d + j]), static_cast<Row>(i)};
    const Item<T>* s = sorted<T>(items, items + n, n);
    Row* list = lists + j * n;
    for (std::size_t i = 0; i < n; ++i) {
      list[i] = s[i].row | (i > 0 && s[i].key == s[i - 1].key ? 0 : kNew<Row>);
    }
    missing[j] = s[n - 1].key == static_cast<radix::Key<T>>(~radix::Key<T>{0});
  });
}

template void presort<float>(const float*, std::size_t, std::size_t, Row*, std::uint8_t*, int);
template void presort<double>(const double*, std::size_t, std::size_t, Row*, std::uint8_t*, int);

}  // namespace surefit::exact_tree
