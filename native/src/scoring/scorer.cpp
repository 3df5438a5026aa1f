#include "postil/scoring/scorer.hpp"

#include <algorithm>
#include <numeric>
#include <shared_mutex>
#include <stdexcept>
#include <utility>

#include "document_vector.hpp"
#include "postil/counting/matrix.hpp"

namespace postil {

namespace {

constexpr std::size_t task_bytes = 1 << 16;
constexpr std::size_t slice_bytes = 1 << 25;
constexpr std::size_t longest_kept_text = 1 << 24;
constexpr std::size_t most_unseen_words = 1 << 16;

using Documents = std::vector<std::size_t>;

Documents from_to(std::size_t first, std::size_t last) {
    Documents documents(last - first);
    std::iota(documents.begin(), documents.end(), first);
    return documents;
}

std::size_t bytes_of(const Columns& columns, std::size_t document) {
    std::size_t bytes = 1;
    for (const auto& column : columns) bytes += byte_length(column[document]);
    return bytes;
}

// Cuts documents into slices of at least `enough` bytes of text; the cuts include both ends.
std::vector<std::size_t> cuts_of(const Columns& columns, const Documents& documents,
                                 std::size_t enough) {
    std::vector<std::size_t> cuts = {0};
    std::size_t bytes = 0;
    for (std::size_t at = 0; at < documents.size(); ++at) {
        bytes += bytes_of(columns, documents[at]);
        if (bytes < enough && at + 1 < documents.size()) continue;
        cuts.push_back(at + 1);
        bytes = 0;
    }
    return cuts;
}

Columns part_of(const Columns& columns, std::size_t first, std::size_t last) {
    Columns part;
    for (const auto& column : columns) part.emplace_back(column.data() + first, column.data() + last);
    return part;
}

std::vector<WordNames> names_of(const WordMap& word_map, const DistinctWords& distinct) {
    std::vector<WordNames> names;
    for (std::size_t map = 0; map < distinct.words.size(); ++map) {
        const auto& words = distinct.words[map];
        names.push_back(words.empty() ? WordNames() : word_map(map, words));
        if (names.back().size() != words.size())
            throw std::invalid_argument("a word map must return one name for every word");
    }
    return names;
}

}  // namespace

// Workbenches borrowed from the pool for one call.
class Scorer::Benches {
public:
    Benches(Scorer& scorer, std::size_t count) : scorer_(scorer) {
        const std::lock_guard guard(scorer.lock_);
        for (; benches_.size() < count && !scorer.idle_.empty(); scorer.idle_.pop_back())
            benches_.push_back(std::move(scorer.idle_.back()));
        while (benches_.size() < count) benches_.push_back(std::make_unique<Workbench>());
    }
    Benches(const Benches&) = delete;

    // A workbench with buffers enlarged by a very long text is not returned to the pool.
    ~Benches() {
        const std::lock_guard guard(scorer_.lock_);
        for (auto& bench : benches_)
            if (bench->longest_text <= longest_kept_text) scorer_.idle_.push_back(std::move(bench));
    }

    Workbench& operator[](std::size_t worker) { return *benches_[worker]; }

private:
    Scorer& scorer_;
    std::vector<std::unique_ptr<Workbench>> benches_;
};

struct Scorer::Call {
    const Columns& columns;
    ScoreSink& sink;
    std::size_t workers;
    Monitor& monitor;
    const WordMap& word_map;
    Benches benches;

    // Calls work(document, worker) for each of the documents.
    template <class Work>
    void run(const Documents& documents, Work&& work) {
        const auto cuts = cuts_of(columns, documents, task_bytes);
        run_tasks(cuts.size() - 1, workers, monitor, [&](std::size_t task, std::size_t worker) {
            for (auto at = cuts[task]; at < cuts[task + 1]; ++at) work(documents[at], worker);
        });
    }

    template <class Mapped, class Unmapped>
    void count(const VectorSettings& settings, std::size_t document, std::size_t worker,
               Mapped& mapped, Unmapped& unmapped) {
        auto& bench = benches[worker];
        bench.longest_text = std::max(bench.longest_text, bytes_of(columns, document));
        bench.counts.begin_document();
        for (const auto& reading : settings.readings) {
            const auto& text = columns[reading.column][document];
            if (reading.word_map == Reading::unmapped)
                count_text(text, reading, unmapped, bench, monitor);
            else count_text(text, reading, mapped, bench, monitor);
        }
    }
};

Scorer::Scorer(VectorSettings settings, TermWeights weights, std::vector<double> intercepts)
    : settings_(std::move(settings)),
      weights_(std::move(weights)),
      intercepts_(std::move(intercepts)) {
    if (weights_.terms() != settings_.numbers.size())
        throw std::invalid_argument("there must be a row of weights for each term");
    if (!settings_.idf.empty() && settings_.idf.size() != weights_.terms())
        throw std::invalid_argument("there must be one idf for each term");
    if (intercepts_.size() != weights_.categories())
        throw std::invalid_argument("intercepts must have one entry for each category");
    settings_.weighting.idf = settings_.idf.empty() ? nullptr : settings_.idf.data();
    intercepts_.resize(weights_.width());
}

Scorer::~Scorer() = default;

std::shared_ptr<WordMemo> Scorer::memo() {
    const std::lock_guard guard(lock_);
    if (!memo_ || memo_->size() > settings_.most_known_words)
        memo_ = std::make_shared<WordMemo>(settings_.numbers, weighs_unseen(settings_.weighting));
    return memo_;
}

std::size_t Scorer::known_words() {
    const std::lock_guard guard(lock_);
    return memo_ ? memo_->size() : 0;
}

void Scorer::score(const Columns& columns, ScoreSink& sink, std::size_t workers, Monitor& monitor,
                   const WordMap& word_map) {
    const auto documents = columns.empty() ? 0 : columns[0].size();
    workers = std::clamp<std::size_t>(documents, 1, workers);
    Call call{columns, sink, workers, monitor, word_map, {*this, workers}};
    const bool forms_grams = any_forms_grams(settings_.readings);
    if (!forms_grams && !any_maps_words(settings_.readings)) return score_words(call, documents);
    // In slices, so that memory besides the scores does not grow with the documents.
    const auto cuts = cuts_of(columns, from_to(0, documents), slice_bytes);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
        if (forms_grams) score_grams(call, cuts[i], cuts[i + 1]);
        else score_mapped(call, cuts[i], cuts[i + 1]);
    }
}

void Scorer::score_words(Call& call, std::size_t documents) {
    const auto& numbers = settings_.numbers;
    const bool number_unseen = weighs_unseen(settings_.weighting);
    call.run(from_to(0, documents), [&](std::size_t document, std::size_t worker) {
        if (numbers.vocabulary() == nullptr) {
            BucketLookup lookup{static_cast<std::uint32_t>(numbers.size())};
            call.count(settings_, document, worker, lookup, lookup);
        } else {
            auto& unseen = call.benches[worker].unseen;
            if (unseen.size() > most_unseen_words) unseen = WordTable();
            VocabularyLookup lookup{numbers.vocabulary()->terms(),
                                    number_unseen ? &unseen : nullptr};
            call.count(settings_, document, worker, lookup, lookup);
        }
        finish_counted(call, document, worker);
    });
}

// Scores documents whose words are all known at once. The others wait until the word map has been
// called, once, for all of their unknown words.
void Scorer::score_mapped(Call& call, std::size_t first, std::size_t last) {
    const auto known = memo();
    std::vector<TermTable> unknown(call.workers);
    std::vector<Documents> waiting(call.workers);
    auto score_known = [&](const Documents& documents) {
        const std::shared_lock reading(known->lock);
        call.run(documents, [&](std::size_t document, std::size_t worker) {
            MemoLookup lookup{*known, unknown[worker]};
            UnmappedLookup unmapped{lookup};
            call.count(settings_, document, worker, lookup, unmapped);
            if (lookup.complete) finish_counted(call, document, worker);
            else waiting[worker].push_back(document);
        });
    };
    score_known(from_to(first, last));
    Documents again;
    for (auto& documents : waiting) {
        again.insert(again.end(), documents.begin(), documents.end());
        documents.clear();
    }
    if (again.empty()) return;
    const auto distinct = distinct_words(unknown, settings_.readings);
    known->learn(unknown, distinct, names_of(call.word_map, distinct));
    score_known(again);
}

// Scores word n-grams as a batch: counts, renames, joins, and builds a matrix.
void Scorer::score_grams(Call& call, std::size_t first, std::size_t last) {
    auto& monitor = call.monitor;
    const auto workers = call.workers;
    auto batch = count_texts(part_of(call.columns, first, last), settings_.readings, false, workers,
                             monitor);
    if (any_maps_words(settings_.readings)) {
        const auto distinct = distinct_words(batch.lanes, settings_.readings);
        rename_words(batch, distinct, names_of(call.word_map, distinct), workers, monitor);
    }
    form_grams(batch, workers, monitor);
    FinalTerms final_terms;
    for (const auto& lane : batch.lanes) final_terms.push_back(settings_.numbers.look_up(lane));
    MatrixBuilder builder(std::move(batch.chunks), std::move(final_terms),
                          settings_.numbers.fate(), settings_.numbers.size(), workers, monitor);
    std::vector<std::int64_t> row_starts(builder.documents() + 1);
    std::vector<std::int32_t> terms(builder.entries());
    std::vector<float> values(builder.entries());
    builder.write({row_starts.data(), terms.data(), values.data()}, settings_.weighting, nullptr,
                  workers, monitor);
    call.run(from_to(first, last), [&](std::size_t document, std::size_t worker) {
        monitor.check();
        const auto from = row_starts[document - first], to = row_starts[document - first + 1];
        finish(call, document, worker, terms.data() + from, values.data() + from,
               static_cast<std::size_t>(to - from));
    });
}

void Scorer::finish_counted(Call& call, std::size_t document, std::size_t worker) {
    auto& [terms, values, length] = call.benches[worker].vector;
    weigh_document(call.benches[worker].counts, settings_.weighting, weights_.terms(),
                   call.benches[worker].vector);
    finish(call, document, worker, terms.data(), values.data(), length);
}

void Scorer::finish(Call& call, std::size_t document, std::size_t worker,
                    const std::int32_t* terms, const float* values, std::size_t length) {
    auto& sums = call.benches[worker].sums;
    sums.assign(intercepts_.begin(), intercepts_.end());
    weights_.add(terms, values, length, sums.data());
    call.sink.take(document, sums.data(), worker);
}

}  // namespace postil
