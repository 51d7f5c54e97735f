#include "cluster/min_cut.hpp"

#include "arrays.hpp"

namespace {

using namespace surefit::bind;

Array<std::int64_t> groups(Vector<std::int64_t> indptr, Vector<std::int64_t> indices, Vector<double> weights,
                           double bound) {
  const std::size_t n = indptr.shape(0) - 1;
  csr(weights, indices, indptr, n);  // refuses indices outside the graph
  if (n >> 32) throw std::invalid_argument("a graph has at most 2³² − 1 vertices");
  const surefit::min_cut::Graph graph{{indptr.data(), n + 1}, {indices.data(), indices.shape(0)},
                                      {weights.data(), weights.shape(0)}};
  std::vector<std::int64_t> found;
  {
    nb::gil_scoped_release released;
    found = surefit::min_cut::inseparable_groups(graph, bound);
  }
  return owned(copy(found.data(), found.size()), {found.size()});
}

}  // namespace

void bind_min_cut(nb::module_& m) {
  m.def("inseparable_groups", &groups, nb::arg("indptr").noconvert(), nb::arg("indices").noconvert(),
        nb::arg("weights").noconvert(), nb::arg("bound"));
}
