#include "postil/matrix.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

namespace postil {

namespace {

// Sorts a row by term and adds up equal terms. Two ways to the same row: a few rows are sorted as
// they are; for many, a bitmap over the terms is filled and read back, which costs a few
// nanoseconds a term whatever the row's length.
class RowSorter {
public:
    virtual ~RowSorter() = default;

    // Sorts first..last in place; returns the new end.
    virtual Occurrence* sort(Occurrence* first, Occurrence* last) = 0;
};

class ComparingSorter final : public RowSorter {
public:
    Occurrence* sort(Occurrence* first, Occurrence* last) override {
        std::sort(first, last, [](Occurrence a, Occurrence b) { return a.term < b.term; });
        auto* kept = first;
        for (auto* at = first; at != last; ++at) {
            if (kept != first && kept[-1].term == at->term) kept[-1].count += at->count;
            else *kept++ = *at;
        }
        return kept;
    }
};

// A bit for each term of the row, and a bit for each non-zero word of those bits.
class BitmapSorter final : public RowSorter {
public:
    explicit BitmapSorter(std::size_t terms)
        : counts_(terms), bits_(terms / 64 + 1), words_(terms / 4096 + 1) {}

    Occurrence* sort(Occurrence* first, Occurrence* last) override {
        for (auto* at = first; at != last; ++at) {
            const auto [term, count] = *at;
            counts_[term] += count;
            bits_[term >> 6] |= std::uint64_t{1} << (term & 63);
            words_[term >> 12] |= std::uint64_t{1} << ((term >> 6) & 63);
        }
        auto* kept = first;
        for (std::size_t group = 0; group < words_.size(); ++group) {
            for (auto words = std::exchange(words_[group], 0); words != 0; words &= words - 1) {
                const auto word = group * 64 + static_cast<std::size_t>(std::countr_zero(words));
                for (auto bits = std::exchange(bits_[word], 0); bits != 0; bits &= bits - 1) {
                    const auto term = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                    *kept++ = {static_cast<std::uint32_t>(term), std::exchange(counts_[term], 0)};
                }
            }
        }
        return kept;
    }

private:
    std::vector<std::uint32_t> counts_;
    std::vector<std::uint64_t> bits_, words_;
};

// A bitmap pays once it has far more to sort than it has to clear, and while it fits in memory.
std::unique_ptr<RowSorter> make_sorter(std::size_t entries, std::size_t terms) {
    constexpr std::size_t most_terms = std::size_t{1} << 23;
    if (terms <= most_terms && entries > terms) return std::make_unique<BitmapSorter>(terms);
    return std::make_unique<ComparingSorter>();
}

// Renumbers one chunk in place. Returns each row's norm share of unseen terms, if any is asked.
std::vector<double> renumber(Chunk& chunk, const std::vector<std::uint32_t>& final_terms,
                             const Weighting& weighting, RowSorter& sorter) {
    const bool weigh_unseen = weighting.unseen_idf != 0.0 && weighting.norm != Norm::none;
    std::vector<double> unseen(weigh_unseen ? chunk.documents : 0);
    auto* const entries = chunk.entries.data();
    std::size_t at = 0, kept = 0;
    for (std::size_t row = 0; row < chunk.documents; ++row) {
        const auto row_start = kept;
        for (; at < chunk.row_ends[row]; ++at) {
            const auto [word, count] = entries[at];
            const auto term = final_terms[word];
            if (term != WordTable::absent) {
                entries[kept++] = {term, count};
            } else if (weigh_unseen) {
                const auto weight =
                    term_frequency(weighting.frequency, count) * weighting.unseen_idf;
                unseen[row] += norm_share(weighting.norm, weight);
            }
        }
        kept = static_cast<std::size_t>(sorter.sort(entries + row_start, entries + kept) - entries);
        chunk.row_ends[row] = static_cast<std::uint32_t>(kept);
    }
    chunk.entries.resize(kept);
    return unseen;
}

}  // namespace

MatrixBuilder::MatrixBuilder(std::vector<Chunk> chunks, const FinalTerms& final_terms,
                             std::size_t terms, const Weighting& weighting, std::size_t workers,
                             Monitor& monitor)
    : chunks_(std::move(chunks)), unseen_(chunks_.size()) {
    std::size_t entries_before = 0;
    for (const auto& chunk : chunks_) entries_before += chunk.entries.size();
    std::vector<std::unique_ptr<RowSorter>> sorters(workers);
    run_tasks(chunks_.size(), workers, monitor, [&](std::size_t task, std::size_t worker) {
        if (!sorters[worker]) sorters[worker] = make_sorter(entries_before / workers, terms);
        auto& chunk = chunks_[task];
        unseen_[task] = renumber(chunk, final_terms[chunk.lane], weighting, *sorters[worker]);
    });
    for (const auto& chunk : chunks_) {
        documents_ += chunk.documents;
        entries_ += chunk.entries.size();
    }
}

void MatrixBuilder::write(const MatrixTarget& target, const Weighting& weighting,
                          const std::int32_t* constant_column, std::size_t workers,
                          Monitor& monitor) {
    const std::size_t extra = constant_column != nullptr ? 1 : 0;
    std::vector<std::size_t> first_row(chunks_.size()), first_entry(chunks_.size());
    std::size_t rows = 0, entries = 0;
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
        first_row[i] = rows;
        first_entry[i] = entries;
        rows += chunks_[i].documents;
        entries += chunks_[i].entries.size() + extra * chunks_[i].documents;
    }
    target.row_starts[rows] = static_cast<std::int64_t>(entries);

    run_tasks(chunks_.size(), workers, monitor, [&](std::size_t task, std::size_t) {
        auto& chunk = chunks_[task];
        auto write_at = first_entry[task];
        std::size_t at = 0;
        for (std::size_t row = 0; row < chunk.documents; ++row) {
            const auto row_start = write_at;
            target.row_starts[first_row[task] + row] = static_cast<std::int64_t>(row_start);
            for (; at < chunk.row_ends[row]; ++at, ++write_at) {
                target.terms[write_at] = static_cast<std::int32_t>(chunk.entries[at].term);
                target.values[write_at] = static_cast<float>(chunk.entries[at].count);
            }
            weigh_row(weighting, target.terms + row_start, target.values + row_start,
                      write_at - row_start, unseen_[task].empty() ? 0.0 : unseen_[task][row]);
            if (constant_column != nullptr) {
                target.terms[write_at] = *constant_column;
                target.values[write_at++] = 1.0f;
            }
        }
        chunk = {};
    });
}

}  // namespace postil
