#include "tree/exact_grow.hpp"

#include "tree/exact_absolute.hpp"
#include "tree/exact_classes.hpp"
#include "tree/exact_growth.hpp"
#include "tree/exact_poisson.hpp"
#include "tree/exact_squared.hpp"
#include "tree/exact_two_classes.hpp"

namespace surefit::exact_tree {

namespace {

template <bool kEntropy>
Grown grow_classes(const Columns& columns, const Targets& targets, const Options& options, std::int64_t* leaf) {
  if (targets.n_outputs > 1 || targets.n_classes > 256) {
    return Growth<Classes<kEntropy>>(columns, targets, options, leaf).run();
  }
  if (targets.n_classes != 2) return Growth<FewClasses<kEntropy>>(columns, targets, options, leaf).run();
  if (targets.w) return Growth<TwoClasses<kEntropy, false>>(columns, targets, options, leaf).run();
  return Growth<TwoClasses<kEntropy, true>>(columns, targets, options, leaf).run();
}

Grown grow_means(const Columns& columns, const Targets& targets, const Options& options, std::int64_t* leaf) {
  if (targets.n_outputs > 1) return Growth<SquaredErrors>(columns, targets, options, leaf).run();
  if (targets.w) return Growth<SquaredError<false>>(columns, targets, options, leaf).run();
  return Growth<SquaredError<true>>(columns, targets, options, leaf).run();
}

}  // namespace

Grown grow(const Columns& columns, const Targets& targets, const Options& options, std::int64_t* leaf) {
  switch (options.criterion) {
    case Criterion::gini:
      return grow_classes<false>(columns, targets, options, leaf);
    case Criterion::entropy:
      return grow_classes<true>(columns, targets, options, leaf);
    case Criterion::squared_error:
      return grow_means(columns, targets, options, leaf);
    case Criterion::poisson:
      return Growth<Poisson>(columns, targets, options, leaf).run();
    case Criterion::absolute_error:
      return Growth<AbsoluteError>(columns, targets, options, leaf).run();
  }
  throw std::invalid_argument("unknown criterion");
}

}  // namespace surefit::exact_tree
