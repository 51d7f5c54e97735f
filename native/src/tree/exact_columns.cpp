#include "tree/exact_columns.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "surefit/parallel.hpp"
#include "tree/exact_sort.hpp"

namespace surefit::exact_tree {

template <class T>
void presort(const T* x, std::size_t n, std::size_t d, Row* lists, std::uint8_t* missing, int n_threads) {
  const std::size_t n_workers = static_cast<std::size_t>(std::max(n_threads, 1));
  std::unique_ptr<Item<T>[]> space(new Item<T>[2 * n * std::min(n_workers, std::max<std::size_t>(d, 1))]);
  std::vector<ColumnSort<T>> sorts(n_workers);
  parallel_for(d, n_threads, [&](std::size_t j, int thread) {
    Item<T>* items = space.get() + 2 * n * static_cast<std::size_t>(thread);
    for (std::size_t i = 0; i < n; ++i) {
      __builtin_prefetch(x + std::min(i + kAhead, n - 1) * d + j);
      items[i] = {radix::key_of(x[i * d + j]), static_cast<Row>(i)};
    }
    Row* next = lists + j * n;
    auto key_before = static_cast<radix::Key<T>>(0);  // no number has this key
    sorts[static_cast<std::size_t>(thread)].run(items, items + n, n, [&](const Item<T>& item) {
      *next++ = item.row | (item.key == key_before ? 0 : kNew<Row>);
      key_before = item.key;
    });
    missing[j] = key_before == static_cast<radix::Key<T>>(~radix::Key<T>{0});
  });
}

template void presort<float>(const float*, std::size_t, std::size_t, Row*, std::uint8_t*, int);
template void presort<double>(const double*, std::size_t, std::size_t, Row*, std::uint8_t*, int);

}  // namespace surefit::exact_tree
