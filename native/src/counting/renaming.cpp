#include <string>
#include <utility>

#include "row_counter.hpp"

namespace postil {

namespace {

void rename_rows(Chunk& chunk, const std::vector<std::uint32_t>& renamed,
                 CountingScratch& scratch) {
    const auto old_entries = std::exchange(chunk.entries, {});
    const auto old_ends = std::exchange(chunk.row_ends, {});
    RowCounter counter(scratch, chunk);
    std::size_t at = 0;
    for (std::size_t i = 0; i < chunk.documents; ++i) {
        const auto row = static_cast<std::uint32_t>(chunk.first_document + i);
        for (; at < old_ends[i]; ++at) {
            const auto [old_word, count] = old_entries[at];
            const auto word = renamed[old_word];
            if (word != WordTable::absent) counter.add(word, count, row);
        }
        counter.end_row();
    }
    counter.end_chunk();
}

void rename_sequence(Chunk& chunk, const std::vector<std::uint32_t>& renamed) {
    std::size_t kept = 0;
    for (const auto word : chunk.sequence) {
        const auto name = word == field_end ? field_end : renamed[word];
        if (word == field_end || name != WordTable::absent) chunk.sequence[kept++] = name;
    }
    chunk.sequence.resize(kept);
}

}  // namespace

DistinctWords distinct_words(const std::vector<TermTable>& lanes, const Readings& readings) {
    DistinctWords distinct;
    std::vector<WordTable> seen;  // by map
    distinct.map_of.assign(max_space + 1, Reading::unmapped);
    for (const auto& reading : readings) {
        distinct.map_of[reading.space] = reading.word_map;
        if (reading.word_map != Reading::unmapped && reading.word_map >= seen.size())
            seen.resize(reading.word_map + 1);
    }
    distinct.words.resize(seen.size());
    for (const auto& lane : lanes) {
        auto& index = distinct.index_of.emplace_back(lane.number_end());
        lane.for_each([&](std::uint32_t word) {
            const auto map = distinct.map_of[lane.space(word)];
            if (map == Reading::unmapped) return;
            auto& words = distinct.words[map];
            index[word] = seen[map].intern(WordKey(0, lane.text(word)));
            if (index[word] == words.size()) words.emplace_back(lane.text(word));
        });
    }
    return distinct;
}

void rename_words(Batch& batch, const DistinctWords& distinct,
                  const std::vector<WordNames>& names, std::size_t workers, Monitor& monitor) {
    std::size_t entries = 0;
    for (const auto& chunk : batch.chunks) entries += chunk.entries.size();
    PageSlabs slabs(entries * sizeof(std::uint32_t));
    for_each_lane(batch, workers, monitor, [&](std::size_t lane, std::vector<Chunk*>& chunks) {
        auto& words = batch.lanes[lane];
        const auto old_words = std::exchange(words, TermTable(words.shard_bits()));
        words.reserve(old_words.size());
        std::vector<std::uint32_t> renamed(old_words.number_end(), WordTable::absent);
        std::string padded;
        old_words.for_each([&](std::uint32_t word) {
            const auto space = old_words.space(word);
            const auto map = distinct.map_of[space];
            if (map == Reading::unmapped) {
                renamed[word] = words.intern(old_words.key(word));
                return;
            }
            const auto& name = names[map][distinct.index_of[lane][word]];
            if (!name || name->empty()) return;
            padded.assign(*name).append(string_padding, '\0');
            const auto view = std::string_view(padded).substr(0, name->size());
            renamed[word] = words.intern(WordKey(space, view));
        });
        CountingScratch scratch{slabs, new_tally(batch, lane)};
        for (auto* chunk : chunks) {
            monitor.check();
            rename_rows(*chunk, renamed, scratch);
            rename_sequence(*chunk, renamed);
        }
    });
}

}  // namespace postil
