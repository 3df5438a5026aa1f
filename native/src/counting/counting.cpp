#include "postil/counting/counting.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

#include "postil/tokenizer/tokenizer.hpp"
#include "row_counter.hpp"

namespace postil {

namespace {

// Large enough that the fixed costs of a chunk do not matter.
constexpr std::size_t chunk_bytes = 1 << 16;

// Uses at least twice as many shards as workers, to keep all of them busy; more would only scatter
// words.
unsigned shard_bits_for(std::size_t workers) {
    return workers > 1 ? static_cast<unsigned>(std::bit_width(workers)) : 0;
}

// A lower estimate of the number of distinct words, by Heaps' law: it grows about as the square
// root of the length of the text. The constant is that of news, which have few.
std::size_t least_words(std::size_t bytes) {
    return static_cast<std::size_t>(10.0 * std::sqrt(static_cast<double>(bytes)));
}

// By the same law, announces the final number of words of a lane that has counted `chunks` of about
// `all` chunks.
void expect_words(TermTable& words, std::size_t chunks, std::size_t all) {
    if (chunks >= all) return;
    const auto growth = std::sqrt(static_cast<double>(all) / static_cast<double>(chunks));
    words.expect(static_cast<std::size_t>(1.1 * growth * static_cast<double>(words.size())));
}

// A lower estimate of the bytes of rows: four bytes for each distinct word of a document, of which
// news and mail have one in ten to twelve characters.
std::size_t least_row_bytes(std::size_t bytes) { return bytes * 5 / 16; }

// Documents cut into chunks, and the total length of the texts.
struct Cut {
    std::vector<Chunk> chunks;
    std::size_t bytes = 0;
};

Cut cut_into_chunks(const Columns& columns, std::size_t documents) {
    Cut cut;
    std::size_t chunk_end = 0;
    for (std::size_t document = 0; document < documents; ++document) {
        if (cut.bytes >= chunk_end) {
            cut.chunks.emplace_back().first_document = document;
            chunk_end = cut.bytes + chunk_bytes;
        }
        ++cut.chunks.back().documents;
        for (const auto& column : columns) cut.bytes += byte_length(column[document]) + 1;
    }
    return cut;
}

// Splits the last of many chunks, so that workers do not wait long for the last one. A few chunks,
// as streams deliver them, are not split: their small rows would come from malloc, which keeps
// freed memory.
void split_last(std::vector<Chunk>& chunks, std::size_t workers) {
    constexpr std::size_t parts = 4;
    constexpr std::size_t many = 32;  // chunks per worker
    if (workers == 1 || chunks.size() < many * workers) return;
    const auto last = 2 * workers;
    const std::vector<Chunk> whole(std::make_move_iterator(chunks.end() - static_cast<std::ptrdiff_t>(last)),
                                   std::make_move_iterator(chunks.end()));
    chunks.resize(chunks.size() - last);
    for (const auto& chunk : whole)
        for (std::size_t part = 0; part < parts; ++part) {
            const auto first = chunk.documents * part / parts, end = chunk.documents * (part + 1) / parts;
            if (first == end) continue;
            auto& cut = chunks.emplace_back();
            cut.first_document = chunk.first_document + first;
            cut.documents = end - first;
        }
}

// The buffers of a worker besides its lane.
struct Workbench {
    TokenizerScratch tokenizer;
    CountingScratch counting;
    std::size_t chunks_done = 0;
};

void list_words(const TextView& text, const Reading& reading, TermTable& words, Workbench& bench,
                Monitor& monitor, Chunk& chunk) {
    tokenize(text, reading.options, bench.tokenizer, [&](const Tokens& tokens) {
        monitor.check();
        intern_tokens(words, reading.space, tokens, [&](auto numbers) {
            chunk.sequence.insert(chunk.sequence.end(), numbers.begin(), numbers.end());
        });
    });
    chunk.sequence.push_back(field_end);
}

// Counts tokens at once, except the words of n-grams, which it lists.
void count_chunk(const Columns& columns, const Readings& readings, TermTable& words,
                 Workbench& bench, Monitor& monitor, Chunk& chunk) {
    RowCounter counter(bench.counting, chunk);
    chunk.row_ends.reserve(chunk.documents);
    for (std::size_t i = 0; i < chunk.documents; ++i) {
        const auto document = chunk.first_document + i;
        const auto row = static_cast<std::uint32_t>(document);
        for (const auto& reading : readings) {
            const auto& text = columns[reading.column][document];
            if (reading.forms_grams()) {
                list_words(text, reading, words, bench, monitor, chunk);
                continue;
            }
            tokenize(text, reading.options, bench.tokenizer, [&](const Tokens& tokens) {
                monitor.check();  // one document may be very long
                count_tokens(words, reading.space, tokens, row, counter);
            });
        }
        counter.end_row();
    }
    counter.end_chunk();
}

}  // namespace

bool any_forms_grams(const Readings& readings) {
    return std::ranges::any_of(readings, &Reading::forms_grams);
}

bool any_maps_words(const Readings& readings) {
    return std::ranges::any_of(
        readings, [](const Reading& reading) { return reading.word_map != Reading::unmapped; });
}

Batch count_texts(const Columns& columns, const Readings& readings, bool tallies,
                  std::size_t workers, Monitor& monitor) {
    Batch batch;
    batch.documents = columns.empty() ? 0 : columns[0].size();
    batch.readings = readings;
    batch.in_sequence = any_forms_grams(readings);
    auto [chunks, bytes] = cut_into_chunks(columns, batch.documents);
    split_last(chunks, workers);
    batch.chunks = std::move(chunks);
    const auto lanes = std::clamp<std::size_t>(batch.chunks.size(), 1, workers);
    batch.lanes.assign(lanes, TermTable(shard_bits_for(workers)));
    if (tallies) batch.tallies.emplace(lanes);

    const auto words = least_words(bytes / lanes);
    PageSlabs slabs(least_row_bytes(bytes));
    std::vector<Workbench> benches;
    for (std::size_t lane = 0; lane < lanes; ++lane)
        benches.push_back({{}, {slabs, new_tally(batch, lane)}, 0});
    run_tasks(batch.chunks.size(), batch.lanes.size(), monitor,
              [&](std::size_t task, std::size_t lane) {
                  // Moved out, so that workers never write to the same cache line.
                  auto chunk = std::move(batch.chunks[task]);
                  chunk.lane = lane;
                  batch.lanes[lane].reserve(words);  // by its own thread
                  count_chunk(columns, readings, batch.lanes[lane], benches[lane], monitor, chunk);
                  expect_words(batch.lanes[lane], ++benches[lane].chunks_done,
                               batch.chunks.size() / lanes);
                  batch.chunks[task] = std::move(chunk);
              });
    return batch;
}

std::vector<std::string> list_tokens(const TextView& text, const TokenizerOptions& options) {
    std::vector<std::string> listed;
    TokenizerScratch scratch;
    tokenize(text, options, scratch, [&](const Tokens& tokens) {
        for (std::size_t i = 0; i < tokens.size(); ++i) listed.emplace_back(tokens[i]);
    });
    return listed;
}

std::vector<std::size_t> count_tokens(const std::vector<TextView>& texts,
                                      const TokenizerOptions& options, std::size_t workers,
                                      Monitor& monitor) {
    std::vector<std::size_t> counts(texts.size());
    std::vector<TokenizerScratch> scratch(workers);
    run_tasks(texts.size(), workers, monitor, [&](std::size_t text, std::size_t worker) {
        tokenize(texts[text], options, scratch[worker],
                 [&](const Tokens& tokens) { counts[text] += tokens.size(); });
    });
    return counts;
}

}  // namespace postil
