// NumPy arrays that own native memory.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "postil/system/pages.hpp"

namespace postil::bind {

namespace nb = nanobind;

template <class Value>
using Array = nb::ndarray<nb::numpy, Value, nb::ndim<1>, nb::c_contig>;

template <class Value>
using Table = nb::ndarray<nb::numpy, Value, nb::ndim<2>, nb::c_contig>;

// Memory that NumPy will own, allocated but not cleared: pages cost nothing until written.
template <class Value>
class Buffer {
public:
    explicit Buffer(std::size_t size) : size_(size) {
        data_.reset(static_cast<Value*>(allocate_array(size * sizeof(Value))));
        if (!data_) throw std::bad_alloc();
    }

    Value* data() { return data_.get(); }

    Array<Value> release() && {
        const auto owner = given_up();
        return Array<Value>(owner.data(), {size_}, owner);
    }

    Table<Value> release(std::size_t rows, std::size_t width) && {
        const auto owner = given_up();
        return Table<Value>(owner.data(), {rows, width}, owner);
    }

private:
    nb::capsule given_up() {
        return nb::capsule(data_.release(), [](void* memory) noexcept { std::free(memory); });
    }

    struct Free {
        void operator()(Value* memory) const { std::free(memory); }
    };
    std::unique_ptr<Value, Free> data_;
    std::size_t size_;
};

// Moves the vector into an array without copying.
template <class Value>
Array<Value> to_array(std::vector<Value> values) {
    auto held = std::make_unique<std::vector<Value>>(std::move(values));
    auto* const data = held->data();
    const auto size = held->size();
    const nb::capsule owner(held.release(), [](void* vector) noexcept {
        delete static_cast<std::vector<Value>*>(vector);
    });
    return Array<Value>(data, {size}, owner);
}

}  // namespace postil::bind
