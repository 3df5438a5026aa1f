// A word table sharded by hash, so that workers can merge tables in parallel without locks.
//
// The number of a term encodes its shard: local id * shards + shard. With one shard it is a plain
// table.
#pragma once

#include <cstdint>
#include <vector>

#include "postil/counting/word_table.hpp"

namespace postil {

class TermTable {
public:
    explicit TermTable(unsigned shard_bits = 0)
        : shards_(std::size_t{1} << shard_bits),
          bits_(shard_bits),
          mask_((std::uint32_t{1} << shard_bits) - 1) {}

    // Reserves room for `words` words; the table still grows beyond.
    void reserve(std::size_t words) {
        for (auto& shard : shards_) shard.reserve(words >> bits_);
    }

    // Announces the final number of words.
    void expect(std::size_t words) {
        for (auto& shard : shards_) shard.expect(words >> bits_);
    }

    unsigned shard_bits() const { return bits_; }
    std::size_t shard_count() const { return shards_.size(); }
    WordTable& shard(std::size_t index) { return shards_[index]; }
    const WordTable& shard(std::size_t index) const { return shards_[index]; }

    std::size_t size() const {
        std::size_t total = 0;
        for (const auto& shard : shards_) total += shard.size();
        return total;
    }

    // Returns one past the largest number in use.
    std::size_t number_end() const {
        std::size_t longest = 0;
        for (const auto& shard : shards_) longest = shard.size() > longest ? shard.size() : longest;
        return longest << bits_;
    }

    std::uint32_t number(std::size_t shard, std::uint32_t local) const {
        return static_cast<std::uint32_t>(local << bits_ | shard);
    }

    std::size_t shard_of(std::uint32_t number) const { return number & mask_; }
    std::uint32_t local_of(std::uint32_t number) const { return number >> bits_; }

    void prefetch(const WordKey& key) const { shards_[shard_of(key)].prefetch(key); }
    std::uint32_t intern(const WordKey& key) {
        const auto shard = shard_of(key);
        return number(shard, shards_[shard].intern(key));
    }
    Space space(std::uint32_t number) const { return home(number).space(local_of(number)); }
    std::string_view text(std::uint32_t number) const { return home(number).text(local_of(number)); }
    WordKey key(std::uint32_t number) const { return home(number).key(local_of(number)); }

    // Calls work(number) for every term.
    template <class Work>
    void for_each(Work&& work) const {
        for (std::size_t shard = 0; shard < shards_.size(); ++shard)
            for (std::uint32_t local = 0; local < shards_[shard].size(); ++local)
                work(number(shard, local));
    }

private:
    // Uses bits that neither select a slot in a table of ordinary size nor are used up by hashing.
    std::size_t shard_of(const WordKey& key) const {
        return (key.hash >> 48) & mask_;
    }
    const WordTable& home(std::uint32_t number) const { return shards_[shard_of(number)]; }

    std::vector<WordTable> shards_;
    unsigned bits_;
    std::uint32_t mask_;
};

}  // namespace postil
