// surefit._native: the compiled loops. Bindings only: arrays in, arrays out, no defaults, no prose.
#include <nanobind/nanobind.h>

#include "surefit/parallel.hpp"
#include "surefit/simd.hpp"

namespace nb = nanobind;

void bind_batch_perceptron(nb::module_& m);
void bind_class_moments(nb::module_& m);
void bind_cluster(nb::module_& m);
void bind_engine(nb::module_& m);
void bind_lasso(nb::module_& m);
void bind_lms(nb::module_& m);
void bind_logistic(nb::module_& m);
void bind_naive_bayes(nb::module_& m);
void bind_perceptron(nb::module_& m);

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
  m.def("simd_level", [] { return surefit::level_name(); });
  bind_batch_perceptron(m);
  bind_class_moments(m);
  bind_cluster(m);
  bind_engine(m);
  bind_lasso(m);
  bind_lms(m);
  bind_logistic(m);
  bind_naive_bayes(m);
  bind_perceptron(m);
}
