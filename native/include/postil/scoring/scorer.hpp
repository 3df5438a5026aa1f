// Raw texts to scores in one call: tokens, terms, weights, and the sum over them for each category.
//
// Nothing is kept of a document but its scores: a word goes straight from the text to the number
// of its term, is counted in a small table, weighed, and added up. Documents are independent, so
// that scores are the same for any number of workers. Time is linear in the texts and in the
// weights of their terms, plus the categories for each document.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "postil/counting/counting.hpp"
#include "postil/counting/weighting.hpp"
#include "postil/scoring/sinks.hpp"
#include "postil/scoring/term_numbers.hpp"
#include "postil/scoring/term_weights.hpp"
#include "postil/scoring/word_memo.hpp"

namespace postil {

// From texts to vectors.
struct VectorSettings {
    TermNumbers numbers;
    Spaces spaces;
    TokenizerOptions options;
    Weighting weighting;              // its idf is the one below
    std::vector<double> idf;          // by term; none means 1 throughout
    std::uint32_t shortest_gram = 1;  // in words
    std::uint32_t longest_gram = 1;
    bool maps_words = false;
    // Past this, what became of words is forgotten: memory must not grow with the texts.
    std::size_t most_known_words = 1'000'000;
};

struct Workbench;

class Scorer {
public:
    // Throws std::invalid_argument where the parts do not fit together.
    Scorer(VectorSettings settings, TermWeights weights, std::vector<double> intercepts);
    ~Scorer();

    std::size_t columns() const { return settings_.spaces.size(); }
    std::size_t categories() const { return weights_.categories(); }
    std::size_t dense_rows() const { return weights_.dense_rows(); }

    // How many words it knows what became of.
    std::size_t known_words();

    // Gives the sink the scores of every document. The word map is asked, on this thread, for
    // words not met before: never where all are known, nor where no words are mapped. Several
    // threads may call this at a time.
    void score(const Columns& columns, ScoreSink& sink, std::size_t workers, Monitor& monitor,
               const WordMap& word_map);

private:
    class Benches;
    struct Call;

    void score_words(Call& call, std::size_t documents);
    void score_mapped(Call& call, std::size_t first, std::size_t last);
    void score_grams(Call& call, std::size_t first, std::size_t last);
    void finish_counted(Call& call, std::size_t document, std::size_t worker);
    void finish(Call& call, std::size_t document, std::size_t worker, const std::int32_t* terms,
                const float* values, std::size_t length);
    std::shared_ptr<WordMemo> memo();

    VectorSettings settings_;
    TermWeights weights_;
    std::vector<double> intercepts_;  // as long as the sums
    std::mutex lock_;                 // of what follows
    std::shared_ptr<WordMemo> memo_;
    std::vector<std::unique_ptr<Workbench>> idle_;
};

}  // namespace postil
