// What a worker needs to score documents, kept from call to call.
#pragma once

#include <cstdint>
#include <vector>

#include "document_counts.hpp"
#include "postil/tokenizer/tokenizer.hpp"
#include "postil/word_table.hpp"

namespace postil {

// A document's vector; the arrays may be longer than it is.
struct DocumentVector {
    std::vector<std::int32_t> terms;
    std::vector<float> values;
    std::size_t length = 0;
};

struct alignas(128) Workbench {
    TokenizerScratch tokenizer;
    DocumentCounts counts;
    DocumentVector vector;
    std::vector<double> sums;      // by category
    WordTable unseen;              // words that are no terms, of this document and earlier ones
    std::size_t longest_text = 0;  // of all so far, in bytes: the room it took is still held
};

}  // namespace postil
