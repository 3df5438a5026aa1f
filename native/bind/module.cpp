// The Python module: bind/ is the only folder that includes Python.
#include <nanobind/nanobind.h>

#include "copies.hpp"
#include "learning.hpp"
#include "merit.hpp"
#include "multiclass_svm.hpp"
#include "places.hpp"
#include "polychotomous.hpp"
#include "reuters.hpp"
#include "scoring.hpp"
#include "vectors.hpp"

NB_MODULE(_native, module) {
    // Threads that outlive the interpreter keep objects alive; these are not leaks.
    nanobind::set_leak_warnings(false);
    module.doc() = "The compiled core of postil.";
    postil::bind::bind_vectors(module);
    postil::bind::bind_copies(module);
    postil::bind::bind_learning(module);
    postil::bind::bind_polychotomous(module);
    postil::bind::bind_multiclass_svm(module);
    postil::bind::bind_merit(module);
    postil::bind::bind_places(module);
    postil::bind::bind_scoring(module);
    postil::bind::bind_reuters(module);
}
