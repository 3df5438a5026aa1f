// Runs native work without the GIL while Ctrl-C keeps working.
#pragma once

#include <nanobind/nanobind.h>

#include "postil/system/threads.hpp"

namespace postil::bind {

namespace nb = nanobind;

// Calls work(monitor) with the GIL released. The monitor asks Python for signals, and tells a
// callable, if there is one, how many pieces of work are done; what either raises stops the work
// and is raised here.
template <class Work>
void run_watched(Work&& work, nb::handle progress = nb::none()) {
    bool signalled = false;
    Monitor monitor([&] {
        const nb::gil_scoped_acquire locked;
        // Asked once more, Python would forget the first answer.
        signalled = signalled || PyErr_CheckSignals() != 0;
        if (!signalled && !progress.is_none()) {
            PyObject* told = PyObject_CallFunction(progress.ptr(), "n",
                                                   static_cast<Py_ssize_t>(monitor.done()));
            signalled = told == nullptr;
            Py_XDECREF(told);
        }
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
