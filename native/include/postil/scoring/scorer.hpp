// Scores raw texts in one call: tokens, terms, weights, and their sum for each category.
//
// Only the scores of a document are kept: each word is mapped to the number of its term, counted in
// a small table, weighted and added to the scores. Documents are independent, so scores are the
// same for any number of workers. Time is linear in the texts and in the weights of their terms,
// plus the number of categories per document.
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

// How texts become vectors.
struct VectorSettings {
    TermNumbers numbers;
    Readings readings;
    Weighting weighting;      // its idf points to the one below
    std::vector<double> idf;  // by term; empty means 1 throughout
    // The limit of the memo of mapped words, so that memory does not grow with the texts.
    std::size_t most_known_words = 1'000'000;
};

struct Workbench;

class Scorer {
public:
    // Throws std::invalid_argument if the parts do not fit together.
    Scorer(VectorSettings settings, TermWeights weights, std::vector<double> intercepts);
    ~Scorer();

    std::size_t categories() const { return weights_.categories(); }
    std::size_t dense_rows() const { return weights_.dense_rows(); }

    // Returns the number of words in the memo.
    std::size_t known_words();

    // Passes the scores of every document to the sink. The word map is called on this thread for
    // words not in the memo; it is not called if all words are known or no reading maps words.
    // Thread-safe.
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
    std::mutex lock_;                 // guards the members below
    std::shared_ptr<WordMemo> memo_;
    std::vector<std::unique_ptr<Workbench>> idle_;
};

}  // namespace postil
