// Runs native work without the GIL while Ctrl-C keeps working.
#pragma once

#include <nanobind/nanobind.h>

#include "postil/threads.hpp"

namespace postil::bind {

namespace nb = nanobind;

// Calls work(monitor) with the GIL released. The monitor asks Python for signals; one that raises
// stops the work and is raised here.
template <class Work>
void run_watched(Work&& work) {
    bool signalled = false;
    Monitor monitor([&] {
        const nb::gil_scoped_acquire locked;
        // Asked once more, Python would forget the first answer.
        signalled = signalled || PyErr_CheckSignals() != 0;
        return signalled;
    });
    try {
        const nb::gil_scoped_release unlocked;
        work(monitor);
    } catch (...) {
        if (!signalled) throw;
    }
    if (signalled) throw nb::python_error();
}

}  // namespace postil::bind
