#include "postil/counting/matrix.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "postil/system/pages.hpp"

namespace postil {

namespace {

// Two ways to sort a row and sum equal terms. Occurrences are added in any order; drain(emit) then
// calls emit(term, count) by rising term and leaves the sorter empty.

// For a few rows: sorts by comparison.
class ComparingSorter {
public:
    explicit ComparingSorter(std::size_t) {}

    void add(std::uint32_t term, std::uint32_t count) { row_.push_back({term, count}); }

    template <class Emit>
    void drain(Emit&& emit) {
        std::sort(row_.begin(), row_.end(),
                  [](Occurrence a, Occurrence b) { return a.term < b.term; });
        for (std::size_t at = 0; at < row_.size();) {
            auto [term, count] = row_[at];
            while (++at < row_.size() && row_[at].term == term) count += row_[at].count;
            emit(term, count);
        }
        row_.clear();
    }

private:
    std::vector<Occurrence> row_;
};

// For many rows: one bit for each term of the row, and one bit for each non-zero word of these
// bits. Costs a few nanoseconds per term whatever the length of the row.
class BitmapSorter {
public:
    explicit BitmapSorter(std::size_t terms)
        : counts_(terms), bits_(terms / 64 + 1), words_(terms / 4096 + 1) {}

    void add(std::uint32_t term, std::uint32_t count) {
        counts_[term] += count;
        bits_[term >> 6] |= std::uint64_t{1} << (term & 63);
        words_[term >> 12] |= std::uint64_t{1} << ((term >> 6) & 63);
    }

    template <class Emit>
    void drain(Emit&& emit) {
        for (std::size_t group = 0; group < words_.size(); ++group) {
            for (auto words = std::exchange(words_[group], 0); words != 0; words &= words - 1) {
                const auto word = group * 64 + static_cast<std::size_t>(std::countr_zero(words));
                for (auto bits = std::exchange(bits_[word], 0); bits != 0; bits &= bits - 1) {
                    const auto term = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                    emit(static_cast<std::uint32_t>(term), std::exchange(counts_[term], 0));
                }
            }
        }
    }

private:
    std::vector<std::uint32_t> counts_;
    std::vector<std::uint64_t> bits_, words_;
};

std::size_t count_kept(const Chunk& chunk, const std::vector<std::uint32_t>& final_terms) {
    std::size_t kept = 0;
    for (std::size_t at = 0; at < chunk.entries.size(); ++at)
        kept += final_terms[chunk.entries[at].term] != WordTable::absent;
    return kept;
}

template <class Sorter>
std::size_t count_distinct(const Chunk& chunk, const std::vector<std::uint32_t>& final_terms,
                           Sorter& sorter) {
    std::size_t distinct = 0, at = 0;
    for (const auto row_end : chunk.row_ends) {
        for (; at < row_end; ++at) {
            const auto term = final_terms[chunk.entries[at].term];
            if (term != WordTable::absent) sorter.add(term, 1);
        }
        sorter.drain([&](std::uint32_t, std::uint32_t) { ++distinct; });
    }
    return distinct;
}

// The position of a chunk's rows in the matrix.
struct Place {
    std::size_t row, entry;
};

template <class Sorter>
void write_chunk(const Chunk& chunk, const std::vector<std::uint32_t>& final_terms, Place place,
                 const MatrixTarget& target, const Weighting& weighting,
                 const std::int32_t* constant_column, Sorter& sorter) {
    const bool weigh_unseen = weighs_unseen(weighting);
    std::size_t at = 0;
    for (const auto row_end : chunk.row_ends) {
        double unseen = 0.0;
        for (; at < row_end; ++at) {
            const auto [word, count] = chunk.entries[at];
            const auto term = final_terms[word];
            if (term != WordTable::absent) {
                sorter.add(term, count);
            } else if (weigh_unseen) {
                unseen += unseen_share(weighting, count);
            }
        }
        auto* const terms = target.terms + place.entry;
        auto* const values = target.values + place.entry;
        std::size_t length = 0;
        sorter.drain([&](std::uint32_t term, std::uint32_t count) {
            terms[length] = static_cast<std::int32_t>(term);
            values[length++] = static_cast<float>(count);
        });
        weigh_row(weighting, terms, values, length, unseen);
        if (constant_column != nullptr) {
            terms[length] = *constant_column;
            values[length++] = 1.0f;
        }
        target.row_starts[place.row++] = static_cast<std::int64_t>(place.entry);
        place.entry += length;
    }
}

// Calls work(task, sorter) for every task, with one sorter per worker. Neighbouring tasks go to the
// same worker: two workers that reach a new huge page at the same time would both clear it.
template <class Sorter, class Work>
void run_sorting(std::size_t tasks, std::size_t terms, std::size_t workers, Monitor& monitor,
                 Work&& work) {
    std::vector<std::optional<Sorter>> sorters(workers);
    run_tasks<TasksInStretches>(tasks, workers, monitor, [&](std::size_t task, std::size_t worker) {
        if (!sorters[worker]) sorters[worker].emplace(terms);
        work(task, *sorters[worker]);
    });
}

// Chooses the bitmap if it has far more to sort than to clear, and while it fits in memory.
template <class Work>
void run_sorting_best(std::size_t entries, std::size_t tasks, std::size_t terms,
                      std::size_t workers, Monitor& monitor, Work&& work) {
    constexpr std::size_t most_terms = std::size_t{1} << 23;
    if (terms <= most_terms && entries / workers > terms)
        run_sorting<BitmapSorter>(tasks, terms, workers, monitor, work);
    else run_sorting<ComparingSorter>(tasks, terms, workers, monitor, work);
}

}  // namespace

MatrixBuilder::MatrixBuilder(std::vector<Chunk> chunks, FinalTerms final_terms, Fate fate,
                             std::size_t terms, std::size_t workers, Monitor& monitor)
    : chunks_(std::move(chunks)),
      final_terms_(std::move(final_terms)),
      kept_(chunks_.size()),
      terms_(terms) {
    for (const auto& chunk : chunks_) {
        documents_ += chunk.documents;
        counted_ += chunk.entries.size();
    }
    if (fate == Fate::kept) {
        for (std::size_t task = 0; task < chunks_.size(); ++task)
            kept_[task] = chunks_[task].entries.size();
    } else if (fate == Fate::dropped) {
        run_tasks(chunks_.size(), workers, monitor, [&](std::size_t task, std::size_t) {
            kept_[task] = count_kept(chunks_[task], final_terms_[chunks_[task].lane]);
        });
    } else {
        run_sorting_best(counted_, chunks_.size(), terms, workers, monitor,
                         [&](std::size_t task, auto& sorter) {
                             const auto& chunk = chunks_[task];
                             kept_[task] = count_distinct(chunk, final_terms_[chunk.lane], sorter);
                         });
    }
    for (const auto kept : kept_) entries_ += kept;
}

void MatrixBuilder::write(const MatrixTarget& target, const Weighting& weighting,
                          const std::int32_t* constant_column, std::size_t workers,
                          Monitor& monitor) {
    const std::size_t extra = constant_column != nullptr ? 1 : 0;
    std::vector<Place> places;
    Place next{0, 0};
    for (std::size_t task = 0; task < chunks_.size(); ++task) {
        places.push_back(next);
        next.row += chunks_[task].documents;
        next.entry += kept_[task] + extra * chunks_[task].documents;
    }
    target.row_starts[next.row] = static_cast<std::int64_t>(next.entry);

    PopulatedArray terms(target.terms, next.entry * sizeof *target.terms);
    PopulatedArray values(target.values, next.entry * sizeof *target.values);
    run_sorting_best(counted_, chunks_.size(), terms_, workers, monitor,
                     [&](std::size_t task, auto& sorter) {
                         const auto& chunk = chunks_[task];
                         const auto first = places[task].entry;
                         const auto entries = kept_[task] + extra * chunk.documents;
                         terms.take(first * sizeof *target.terms, entries * sizeof *target.terms);
                         values.take(first * sizeof *target.values, entries * sizeof *target.values);
                         write_chunk(chunk, final_terms_[chunk.lane], places[task], target,
                                     weighting, constant_column, sorter);
                         chunks_[task] = {};
                     });
}

}  // namespace postil
