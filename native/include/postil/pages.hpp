// Memory that goes back to the system the moment it is freed.
//
// malloc keeps what is freed for itself, so that rows that have become a matrix would go on being
// counted against us. Large blocks are therefore mapped page by page where that can be done.
#pragma once

#include <cstddef>
#include <new>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#define POSTIL_MAPS_PAGES 1
#else
#define POSTIL_MAPS_PAGES 0
#endif

namespace postil {

template <class Value>
struct PageAllocator {
    using value_type = Value;

    PageAllocator() = default;
    template <class Other>
    PageAllocator(const PageAllocator<Other>&) {}

    Value* allocate(std::size_t count) {
        const auto bytes = count * sizeof(Value);
        if (!is_mapped(bytes)) return static_cast<Value*>(::operator new(bytes));
#if POSTIL_MAPS_PAGES
        void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) throw std::bad_alloc();
        return static_cast<Value*>(pages);
#endif
    }

    void deallocate(Value* memory, std::size_t count) noexcept {
        const auto bytes = count * sizeof(Value);
        if (!is_mapped(bytes)) return ::operator delete(memory);
#if POSTIL_MAPS_PAGES
        munmap(memory, bytes);
#endif
    }

    friend bool operator==(PageAllocator, PageAllocator) { return true; }

private:
    // Below this, whole pages would be a waste and malloc is faster.
    static bool is_mapped(std::size_t bytes) { return POSTIL_MAPS_PAGES && bytes >= 1 << 15; }
};

}  // namespace postil
