// The Python module: bind/ is the only folder that includes Python.
#include <nanobind/nanobind.h>

#include "reuters.hpp"
#include "vectors.hpp"

NB_MODULE(_native, module) {
    module.doc() = "The compiled core of postil.";
    postil::bind::bind_vectors(module);
    postil::bind::bind_reuters(module);
}
