// surefit._native: the compiled loops. Bindings only: arrays in, arrays out, no defaults, no prose.
#include <nanobind/nanobind.h>

#include <new>
#include <stdexcept>
#include <typeinfo>

#include "surefit/parallel.hpp"
#include "surefit/simd.hpp"

namespace nb = nanobind;

void bind_batch_perceptron(nb::module_& m);
void bind_bins(nb::module_& m);
void bind_class_statistics(nb::module_& m);
void bind_cluster(nb::module_& m);
void bind_dbscan(nb::module_& m);
void bind_engine(nb::module_& m);
void bind_exact_trees(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_forest_parts(nb::module_& m);
void bind_histogram_trees(nb::module_& m);
void bind_kernels(nb::module_& m);
void bind_lasso(nb::module_& m);
void bind_least_squares(nb::module_& m);
void bind_linear_svm(nb::module_& m);
void bind_linkage(nb::module_& m);
void bind_lms(nb::module_& m);
void bind_logistic(nb::module_& m);
void bind_metrics(nb::module_& m);
void bind_min_cut(nb::module_& m);
void bind_manifold(nb::module_& m);
void bind_mixture(nb::module_& m);
void bind_network(nb::module_& m);
void bind_perceptron(nb::module_& m);
void bind_search(nb::module_& m);
void bind_search_tiles(nb::module_& m);
void bind_stumps(nb::module_& m);
void bind_summaries(nb::module_& m);
void bind_svm(nb::module_& m);
void bind_tree(nb::module_& m);

namespace {

// Runs on the thread that called into the loop, which has released the GIL. Signals are delivered to the main thread
// only; elsewhere PyErr_CheckSignals does nothing.
bool signal_pending() {
  nb::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
}

}  // namespace

NB_MODULE(_native, m) {
  surefit::set_poll(signal_pending);
  // PyErr_CheckSignals has set the Python error (KeyboardInterrupt as a rule): keep it.
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const surefit::Interrupted&) {
      if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
  // What the loops themselves allocate. (Sizes of results are looked at before: arrays.hpp.)
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    constexpr const char* kWords = "the loop needs more memory to work in than there is";
    try {
      std::rethrow_exception(p);
    } catch (const std::length_error&) {
      PyErr_SetString(PyExc_MemoryError, kWords);
    } catch (const std::bad_alloc& e) {
      const bool plain = typeid(e) == typeid(std::bad_alloc) || typeid(e) == typeid(std::bad_array_new_length);
      PyErr_SetString(PyExc_MemoryError, plain ? kWords : e.what());
    }
  });
  m.def("simd_level", [] { return surefit::level_name(); });
  bind_batch_perceptron(m);
  bind_bins(m);
  bind_class_statistics(m);
  bind_cluster(m);
  bind_dbscan(m);
  bind_engine(m);
  bind_exact_trees(m);
  bind_forest(m);
  bind_forest_parts(m);
  bind_histogram_trees(m);
  bind_kernels(m);
  bind_lasso(m);
  bind_least_squares(m);
  bind_linear_svm(m);
  bind_linkage(m);
  bind_lms(m);
  bind_logistic(m);
  bind_metrics(m);
  bind_min_cut(m);
  bind_manifold(m);
  bind_mixture(m);
  bind_network(m);
  bind_perceptron(m);
  bind_search(m);
  bind_search_tiles(m);
  bind_stumps(m);
  bind_summaries(m);
  bind_svm(m);
  bind_tree(m);
}
