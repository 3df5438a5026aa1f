// Python strings and bytes as TextViews, in place.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include "postil/texts.hpp"

namespace postil::bind {

namespace nb = nanobind;

// `index` says in an error which of several texts it is.
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

// The texts of a batch with the references that keep them alive while the GIL is released.
struct HeldTexts {
    std::vector<nb::tuple> owners;
    Columns columns;
    std::size_t bytes = 0;

    std::size_t documents() const { return columns.empty() ? 0 : columns[0].size(); }

    explicit HeldTexts(nb::handle source) {
        for (nb::handle column : source) {
            owners.push_back(nb::steal<nb::tuple>(PySequence_Tuple(column.ptr())));
            if (!owners.back().is_valid()) throw nb::python_error();
            auto& views = columns.emplace_back();
            views.reserve(owners.back().size());
            for (nb::handle text : owners.back()) {
                prefetch(owners.back(), views.size() + texts_ahead);
                views.push_back(view_of(text, views.size()));
                bytes += byte_length(views.back());
            }
            if (views.size() != columns[0].size())
                throw nb::value_error("every field needs one text for each document");
        }
    }

private:
    static constexpr std::size_t texts_ahead = 16;

    // Texts lie anywhere in memory: fetched ahead, their heads are waited for together.
    static void prefetch(const nb::tuple& texts, std::size_t index) {
        if (index < texts.size())
            __builtin_prefetch(PyTuple_GET_ITEM(texts.ptr(), static_cast<Py_ssize_t>(index)));
    }
};

// UTF-8 made here is valid but for what a caller put into a vocabulary; that is replaced.
inline nb::str to_str(std::string_view utf8) {
    return nb::steal<nb::str>(
        PyUnicode_DecodeUTF8(utf8.data(), static_cast<Py_ssize_t>(utf8.size()), "replace"));
}

}  // namespace postil::bind
