// Sorting over several threads: the same order as std::sort by a total order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "postil/threads.hpp"

namespace postil {

// Sample sort. A small sorted sample cuts the keys into buckets of about equal size; each block of
// keys is dealt into the buckets, and each bucket is sorted, all as tasks of their own.
template <class Key, class Less>
void parallel_sort(std::vector<Key>& keys, std::size_t workers, Monitor& monitor, Less less) {
    constexpr std::size_t small = 1 << 13, sampled = 512;
    if (workers < 2 || keys.size() < small) return std::sort(keys.begin(), keys.end(), less);

    const auto buckets = std::min<std::size_t>(4 * workers, 128);
    const auto blocks = workers;
    std::vector<Key> sample;
    for (std::size_t i = 0; i < sampled; ++i) sample.push_back(keys[i * keys.size() / sampled]);
    std::sort(sample.begin(), sample.end(), less);
    std::vector<Key> splitters;
    for (std::size_t bucket = 1; bucket < buckets; ++bucket)
        splitters.push_back(sample[bucket * sampled / buckets]);

    auto block_begin = [&](std::size_t block) { return keys.size() * block / blocks; };
    std::vector<std::uint8_t> bucket_of(keys.size());
    std::vector<std::size_t> next(buckets * blocks);  // by bucket, then block: counts, then places
    run_tasks(blocks, workers, monitor, [&](std::size_t block, std::size_t) {
        for (auto i = block_begin(block); i < block_begin(block + 1); ++i) {
            const auto place = std::upper_bound(splitters.begin(), splitters.end(), keys[i], less);
            bucket_of[i] = static_cast<std::uint8_t>(place - splitters.begin());
            ++next[bucket_of[i] * blocks + block];
        }
    });
    std::vector<std::size_t> bucket_begin(buckets + 1);
    std::size_t total = 0;
    for (std::size_t i = 0; i < next.size(); ++i) {
        if (i % blocks == 0) bucket_begin[i / blocks] = total;
        total += std::exchange(next[i], total);
    }
    bucket_begin[buckets] = total;

    std::vector<Key> dealt(keys.size());
    run_tasks(blocks, workers, monitor, [&](std::size_t block, std::size_t) {
        for (auto i = block_begin(block); i < block_begin(block + 1); ++i)
            dealt[next[bucket_of[i] * blocks + block]++] = keys[i];
    });
    run_tasks(buckets, workers, monitor, [&](std::size_t bucket, std::size_t) {
        const auto first = dealt.begin();
        std::sort(first + static_cast<std::ptrdiff_t>(bucket_begin[bucket]),
                  first + static_cast<std::ptrdiff_t>(bucket_begin[bucket + 1]), less);
    });
    keys = std::move(dealt);
}

}  // namespace postil
