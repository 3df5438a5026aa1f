// Small damage to byte strings, as files, networks and editors cause it.
#pragma once

#include <algorithm>
#include <string>

#include "random.hpp"
#include "seeds.hpp"

namespace postil::tests {

class Mutator {
public:
    explicit Mutator(Random& random) : random_(random) {}

    // Returns a seed, damaged a few times (sometimes not at all), of bounded length.
    std::string damaged_seed() {
        std::string bytes(random_.pick(seeds()));
        if (random_.one_in(20)) return bytes;
        for (auto times = random_.between(1, 8); times > 0; --times) {
            (this->*random_.pick(operations))(bytes);
            if (bytes.size() > longest) bytes.resize(longest);
        }
        return bytes;
    }

private:
    static constexpr std::size_t longest = 9000;

    void flip_bit(std::string& bytes) {
        if (bytes.empty()) return;
        bytes[place_in(bytes)] ^= static_cast<char>(1 << random_.below(8));
    }

    void set_byte(std::string& bytes) {
        if (bytes.empty()) return;
        bytes[place_in(bytes)] = random_.pick(interesting_bytes);
    }

    void insert_piece(std::string& bytes) {
        bytes.insert(random_.below(bytes.size() + 1), random_.pick(pieces()));
    }

    void truncate(std::string& bytes) { bytes.resize(random_.below(bytes.size() + 1)); }

    void erase_part(std::string& bytes) {
        const auto at = random_.below(bytes.size() + 1);
        bytes.erase(at, random_.below(std::min<std::size_t>(bytes.size() - at + 1, 40)));
    }

    // Repeats a short part many times: long words, long runs of spaces, nested tags.
    void repeat_part(std::string& bytes) {
        const auto at = random_.below(bytes.size() + 1);
        const auto part = bytes.substr(at, random_.between(1, 12));
        std::string run;
        for (auto times = random_.between(1, 140); times > 0; --times) run += part;
        bytes.insert(at, run);
    }

    void splice(std::string& bytes) {
        const auto& other = random_.pick(seeds());
        bytes.resize(random_.below(bytes.size() + 1));
        bytes += other.substr(random_.below(other.size() + 1));
    }

    // The tokenizer reads ASCII in blocks of 64 bytes: end just before, at and after a block.
    void end_at_block(std::string& bytes) {
        constexpr std::size_t block = 64;
        const auto blocks = bytes.size() / block + 1;
        const auto fill = random_.pick(std::string("a '-_Z \n"));
        bytes.resize(blocks * block + random_.below(3) - 1, fill);
    }

    void swap_parts(std::string& bytes) {
        const auto middle = static_cast<std::ptrdiff_t>(random_.below(bytes.size() + 1));
        std::rotate(bytes.begin(), bytes.begin() + middle, bytes.end());
    }

    std::size_t place_in(const std::string& bytes) { return random_.below(bytes.size()); }

    using Operation = void (Mutator::*)(std::string&);
    static constexpr Operation operations[] = {
        &Mutator::flip_bit,    &Mutator::set_byte,   &Mutator::insert_piece,
        &Mutator::truncate,    &Mutator::erase_part, &Mutator::repeat_part,
        &Mutator::splice,      &Mutator::end_at_block, &Mutator::swap_parts,
    };

    Random& random_;
};

}  // namespace postil::tests
