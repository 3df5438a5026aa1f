// Memory that goes back to the system the moment it is freed.
//
// malloc keeps what is freed for itself, so that rows that have become a matrix would go on being
// counted against us. Large blocks are therefore mapped page by page where that can be done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

// Not under AddressSanitizer, which sees only what malloc gives.
#if (defined(__unix__) || defined(__APPLE__)) && !defined(__SANITIZE_ADDRESS__)
#include <sys/mman.h>
#include <unistd.h>
#define POSTIL_MAPS_PAGES 1
#else
#define POSTIL_MAPS_PAGES 0
#endif

namespace postil {

constexpr std::size_t huge_page = std::size_t{1} << 21;

inline std::size_t in_huge_pages(std::size_t bytes) {
    return (bytes + huge_page - 1) / huge_page * huge_page;
}

// Asks for huge pages where there are any: a large array then costs a few page faults, not
// thousands, for which threads would wait on each other.
inline void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if POSTIL_MAPS_PAGES && defined(MADV_HUGEPAGE)
    const auto first = in_huge_pages(reinterpret_cast<std::uintptr_t>(memory));
    const auto last = (reinterpret_cast<std::uintptr_t>(memory) + bytes) / huge_page * huge_page;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

// As malloc, for std::free; what is large begins where a huge page may, and asks for them.
inline void* allocate_array(std::size_t bytes) {
    if (bytes < huge_page || !POSTIL_MAPS_PAGES) return std::malloc(bytes > 0 ? bytes : 1);
    void* const memory = std::aligned_alloc(huge_page, in_huge_pages(bytes));
    if (memory != nullptr) prefer_huge_pages(memory, bytes);
    return memory;
}

// Asks for the pages of memory that is about to be written, all at once: cheaper than a fault for each.
// Linux knows how since 5.14; elsewhere they come one by one.
inline void populate([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if POSTIL_MAPS_PAGES && defined(MADV_POPULATE_WRITE)
    static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto first = reinterpret_cast<std::uintptr_t>(memory) / page * page;
    const auto last = reinterpret_cast<std::uintptr_t>(memory) + bytes;
    madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
#endif
}

// Memory for what is freed in about the order it was made: blocks are cut one after the other from
// slabs, and a slab goes back when the last block of it is gone. Few and large, for all threads wait
// while pages are taken from one of them.
class PageSlabs {
public:
    // Not cleared; it lives as long as anybody holds it.
    template <class Value>
    std::shared_ptr<Value[]> allocate(std::size_t count) {
        const auto bytes = (count * sizeof(Value) + line - 1) / line * line;
        // Whole pages would be a waste, and malloc is faster.
        if (bytes < smallest) return std::shared_ptr<Value[]>(new Value[count]);
        if (used_ + bytes > size_) begin_slab(bytes);
        auto* const block = slab_.get() + used_;
        populate(block, bytes);
        used_ += bytes;
        return {slab_, reinterpret_cast<Value*>(block)};
    }

private:
    static constexpr std::size_t line = 64;  // no two blocks share a cache line
    static constexpr std::size_t smallest = std::size_t{1} << 15, usual = std::size_t{1} << 19;

    void begin_slab(std::size_t least) {
        slab_ = {};
        size_ = least > usual ? least : usual;
        used_ = 0;
#if POSTIL_MAPS_PAGES
        void* pages =
            mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) throw std::bad_alloc();
        slab_ = {static_cast<std::byte*>(pages),
                 [size = size_](std::byte* memory) { munmap(memory, size); }};
#else
        slab_ = std::shared_ptr<std::byte[]>(new std::byte[size_]);
#endif
    }

    std::shared_ptr<std::byte[]> slab_;
    std::size_t size_ = 0, used_ = 0;
};

}  // namespace postil
