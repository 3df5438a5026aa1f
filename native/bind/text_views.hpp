// Views of Python strings and bytes.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include "postil/tokenizer/texts.hpp"

namespace postil::bind {

namespace nb = nanobind;

// Returns a view of a str or bytes. `index` names the text in an error message.
inline TextView view_of(nb::handle object, std::optional<std::size_t> index = {}) {
    PyObject* text = object.ptr();
    if (PyUnicode_Check(text)) {
        const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text));
        auto encoding = Encoding::latin1;
        if (PyUnicode_IS_ASCII(text)) encoding = Encoding::ascii;
        else if (PyUnicode_KIND(text) == PyUnicode_2BYTE_KIND) encoding = Encoding::ucs2;
        else if (PyUnicode_KIND(text) == PyUnicode_4BYTE_KIND) encoding = Encoding::ucs4;
        return {PyUnicode_DATA(text), length, encoding};
    }
    if (PyBytes_Check(text))
        return {PyBytes_AS_STRING(text), static_cast<std::size_t>(PyBytes_GET_SIZE(text)),
                Encoding::utf8};
    const auto which = index ? "text " + std::to_string(*index) + ": " : std::string();
    throw nb::type_error(
        (which + "a text must be str or UTF-8 bytes, not " + Py_TYPE(text)->tp_name).c_str());
}

// Calls work(index, object) for objects scattered in memory. Prefetches their heads, which may span
// two cache lines and are written to, so that waits for memory overlap.
template <class Work>
void for_each_fetched(PyObject* const* objects, std::size_t count, Work&& work) {
    constexpr std::size_t ahead = 16;
    for (std::size_t i = 0; i < count; ++i) {
        if (i + ahead < count) {
            __builtin_prefetch(objects[i + ahead], 1);
            __builtin_prefetch(reinterpret_cast<const PyASCIIObject*>(objects[i + ahead]) + 1);
        }
        work(i, objects[i]);
    }
}

// The texts of a batch with references that keep them alive while the GIL is released, because the
// caller's lists may change meanwhile. All other work waits for this, so it makes a single pass.
struct HeldTexts {
    Columns columns;

    std::size_t documents() const { return columns.empty() ? 0 : columns[0].size(); }

    explicit HeldTexts(nb::handle source) {
        try {
            for (nb::handle column : source) hold(column);
        } catch (...) {
            let_go();
            throw;
        }
    }
    ~HeldTexts() { let_go(); }
    HeldTexts(const HeldTexts&) = delete;
    HeldTexts& operator=(const HeldTexts&) = delete;

private:
    void hold(nb::handle column) {
        const auto sequence =
            nb::steal(PySequence_Fast(column.ptr(), "a column of texts must be a sequence"));
        if (!sequence.is_valid()) throw nb::python_error();
        const auto size = static_cast<std::size_t>(PySequence_Fast_GET_SIZE(sequence.ptr()));
        auto& views = columns.emplace_back();
        views.reserve(size);
        owned_.reserve(owned_.size() + size);
        for_each_fetched(PySequence_Fast_ITEMS(sequence.ptr()), size,
                         [&](std::size_t index, PyObject* text) {
                             views.push_back(view_of(text, index));
                             owned_.push_back(Py_NewRef(text));
                         });
        if (views.size() != columns[0].size())
            throw nb::value_error("every field needs one text for each document");
    }

    void let_go() {
        for_each_fetched(owned_.data(), owned_.size(),
                         [](std::size_t, PyObject* text) { Py_DECREF(text); });
        owned_.clear();
    }

    std::vector<PyObject*> owned_;
};

// Native UTF-8 is valid except for terms that a caller put into a vocabulary, which are replaced.
inline nb::str to_str(std::string_view utf8) {
    return nb::steal<nb::str>(
        PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), "replace"));
}

}  // namespace postil::bind
