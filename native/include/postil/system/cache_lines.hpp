// A vector whose storage is aligned to a cache line, so that rows of whole lines share no line with
// other data.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace postil {

inline constexpr std::size_t cache_line = 64;

template <class Value>
struct CacheLineAllocator {
    using value_type = Value;

    CacheLineAllocator() = default;
    template <class Other>
    CacheLineAllocator(const CacheLineAllocator<Other>&) {}

    Value* allocate(std::size_t count) {
        return static_cast<Value*>(::operator new(count * sizeof(Value), std::align_val_t(cache_line)));
    }
    void deallocate(Value* values, std::size_t) {
        ::operator delete(values, std::align_val_t(cache_line));
    }
    bool operator==(const CacheLineAllocator&) const = default;
};

template <class Value>
using CacheLines = std::vector<Value, CacheLineAllocator<Value>>;

}  // namespace postil
