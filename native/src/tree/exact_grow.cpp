#include "tree/exact_grow.hpp"

#include "tree/exact_criteria.hpp"
#include "tree/exact_growth.hpp"

namespace surefit::exact_tree {

Grown grow(const Columns& columns, const Targets& targets, const Options& options, std::int64_t* leaf) {
  const auto by = [&]<class C>() { return Growth<C>(columns, targets, options, leaf).run(); };
  switch (options.criterion) {
    case Criterion::gini:
      return by.template operator()<Classes<false>>();
    case Criterion::entropy:
      return by.template operator()<Classes<true>>();
    case Criterion::squared_error:
      if (targets.n_outputs > 1) return by.template operator()<SquaredErrors>();
      return targets.w ? by.template operator()<SquaredError<false>>() : by.template operator()<SquaredError<true>>();
    default:
      throw std::invalid_argument("this criterion has no exact grower yet");
  }
}

}  // namespace surefit::exact_tree
