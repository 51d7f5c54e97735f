#include <algorithm>
#include <numeric>

#include "cluster/linkage.hpp"
#include "cluster/union_find.hpp"

namespace surefit::linkage {

void linkage_matrix(std::vector<Merge>& merges, std::size_t n, double* out) {
  const auto lower = [](const Merge& p, const Merge& q) { return p.height < q.height; };
  if (!std::is_sorted(merges.begin(), merges.end(), lower)) std::stable_sort(merges.begin(), merges.end(), lower);
  UnionFind sets(n);
  std::vector<std::int32_t> name(n), size(n, 1);
  std::iota(name.begin(), name.end(), 0);
  for (std::size_t t = 0; t < merges.size(); ++t) {
    const std::uint32_t i = sets.find(static_cast<std::uint32_t>(merges[t].a));
    const std::uint32_t j = sets.find(static_cast<std::uint32_t>(merges[t].b));
    sets.join(i, j);
    const std::uint32_t top = std::min(i, j);
    const std::int32_t total = size[i] + size[j];
    double* row = out + 4 * t;
    row[0] = std::min(name[i], name[j]);
    row[1] = std::max(name[i], name[j]);
    row[2] = merges[t].height;
    row[3] = total;
    name[top] = static_cast<std::int32_t>(n + t);
    size[top] = total;
  }
}

}  // namespace surefit::linkage
