// Runs native work without the GIL while Ctrl-C keeps working.
#pragma once

#include <nanobind/nanobind.h>

#include "postil/system/threads.hpp"

namespace postil::bind {

namespace nb = nanobind;

// Calls work(monitor) with the GIL released. The monitor checks for Python signals and calls
// progress(done), if given, with the number of finished pieces of work. An exception from either
// stops the work and is raised here.
template <class Work>
void run_interruptible(Work&& work, nb::handle progress = nb::none()) {
    bool signalled = false;
    Monitor monitor([&] {
        const nb::gil_scoped_acquire locked;
        // A second call would clear the signal of the first.
        signalled = signalled || PyErr_CheckSignals() != 0;
        if (!signalled && !progress.is_none()) {
            PyObject* result = PyObject_CallFunction(progress.ptr(), "n",
                                                   static_cast<Py_ssize_t>(monitor.done()));
            signalled = result == nullptr;
            Py_XDECREF(result);
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
