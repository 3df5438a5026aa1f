// Finds texts that are equal, and texts that share most of their shingles (runs of words).
//
// A text is kept as a hash of its characters, the keys of its bands, and a sketch. A band is four
// minima of the hashed shingles (MinHash: A. Broder, On the resemblance and containment of
// documents, 1997); texts that agree in one of twenty bands are compared by their sketches, which
// hold the smallest hashes: all of a short text, so that its similarity is exact.
//
// Time is linear in the texts, and then in their number: a text is compared with at most
// `most_compared` others in each band, however many share it. Memory is at most 640 bytes for each
// text. Results do not depend on the number of threads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "postil/system/threads.hpp"
#include "postil/tokenizer/options.hpp"
#include "postil/tokenizer/texts.hpp"

namespace postil {

class CopyFinder {
public:
    static constexpr std::size_t bands = 20, rows = 4;
    static constexpr std::size_t sketch_size = 128;
    static constexpr std::size_t most_compared = 16;

    // Words are cut by the options; a shingle is a run of `shingle_words` of them, or the whole
    // text if it has fewer.
    CopyFinder(const TokenizerOptions& options, std::size_t shingle_words)
        : options_(options), shingle_words_(shingle_words) {}

    // Adds texts after those that were added before.
    void add(const std::vector<TextView>& texts, std::size_t workers, Monitor& monitor);

    std::size_t size() const { return equality_.size(); }
    const std::vector<std::uint32_t>& words() const { return words_; }  // of each text

    // Returns the first text that differs from each text at most in case and white space. Texts
    // without a character but white space are equal to none.
    std::vector<std::uint32_t> equal() const;

    // Returns the first text of the group of each text: copies and texts at least as similar as
    // `similar`, and all that such pairs connect. Texts without words are similar to none.
    std::vector<std::uint32_t> groups(double similar, std::size_t workers, Monitor& monitor) const;

    // Returns the Jaccard similarity of the shingles of two texts: exact if both have at most
    // `sketch_size`, and else estimated with a standard error of at most 0.05.
    double similarity(std::size_t first, std::size_t second) const;

private:
    struct Sketch {
        const std::uint32_t* values;
        std::uint32_t size;
        std::uint32_t shingles;  // distinct; more than `size` if some are left out
    };
    using BandKeys = std::array<std::uint32_t, bands>;
    struct Worker;

    void read(const TextView& text, std::size_t at, Worker& worker, Monitor& monitor);
    void link_band(std::size_t band, double similar, const std::vector<std::uint32_t>& equal,
                   Monitor& monitor,
                   std::vector<std::pair<std::uint32_t, std::uint32_t>>& found) const;

    TokenizerOptions options_;
    std::size_t shingle_words_;
    std::vector<std::uint64_t> equality_;  // a hash of the text; 0 if it is empty
    std::vector<std::uint32_t> words_;
    std::vector<BandKeys> keys_;
    std::vector<Sketch> sketches_;
    std::vector<std::vector<std::uint32_t>> sketch_memory_;  // which never moves
};

}  // namespace postil
