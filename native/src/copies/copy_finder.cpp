#include "postil/copies/copy_finder.hpp"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

#include "postil/tokenizer/hash.hpp"
#include "postil/tokenizer/tokenizer.hpp"

namespace postil {

namespace {

constexpr std::size_t minima_count = CopyFinder::bands * CopyFinder::rows;
// Texts of one task: enough that the fixed costs do not matter.
constexpr std::size_t task_texts = 64;

// A mixing function of 32 bits, in which every bit of the input moves about half of the output.
inline std::uint32_t mixed(std::uint32_t value) {
    value ^= value >> 16;
    value *= 0x7FEB352Du;
    value ^= value >> 15;
    value *= 0x846CA68Bu;
    return value ^ (value >> 16);
}

constexpr std::array<std::uint32_t, minima_count> make_salts() {
    std::array<std::uint32_t, minima_count> salts{};
    std::uint64_t state = 1;
    for (auto& salt : salts) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        salt = static_cast<std::uint32_t>(state >> 32);
    }
    return salts;
}

constexpr auto salts = make_salts();

std::uint64_t hash_token(std::string_view token) {
    return hash_string(leading_word(token.data(), token.size()),
                       second_word(token.data(), token.size()), token.data(), token.size(), 0);
}

std::uint32_t fold(std::uint64_t hash) { return static_cast<std::uint32_t>(hash ^ (hash >> 32)); }

using Minima = std::array<std::uint32_t, minima_count>;

Minima minima_of(const std::vector<std::uint32_t>& shingles) {
    Minima minima;
    minima.fill(UINT32_MAX);
    for (const auto shingle : shingles)
        for (std::size_t i = 0; i < minima_count; ++i)
            minima[i] = std::min(minima[i], mixed(shingle ^ salts[i]));
    return minima;
}

// Sets of texts; each is named by its smallest member.
class DisjointSets {
public:
    explicit DisjointSets(std::vector<std::uint32_t> parents) : parents_(std::move(parents)) {}

    std::uint32_t find(std::uint32_t member) {
        while (parents_[member] != member) {
            parents_[member] = parents_[parents_[member]];
            member = parents_[member];
        }
        return member;
    }

    void join(std::uint32_t first, std::uint32_t second) {
        first = find(first);
        second = find(second);
        parents_[std::max(first, second)] = std::min(first, second);
    }

private:
    std::vector<std::uint32_t> parents_;
};

}  // namespace

// The buffers of a worker.
struct CopyFinder::Worker {
    TokenizerScratch scratch;
    std::vector<std::uint64_t> words;
    std::vector<std::uint32_t> shingles;
    std::vector<std::uint32_t> sketches;  // of the task at hand
};

void CopyFinder::add(const std::vector<TextView>& texts, std::size_t workers, Monitor& monitor) {
    const auto before = size(), after = before + texts.size();
    equality_.resize(after);
    words_.resize(after);
    keys_.resize(after);
    sketches_.resize(after);
    const auto tasks = (texts.size() + task_texts - 1) / task_texts;
    const auto memory_before = sketch_memory_.size();
    sketch_memory_.resize(memory_before + tasks);
    std::vector<Worker> benches(std::max<std::size_t>(workers, 1));
    try {
        run_tasks(tasks, workers, monitor, [&](std::size_t task, std::size_t number) {
            auto& worker = benches[number];
            const auto first = task * task_texts, end = std::min(first + task_texts, texts.size());
            worker.sketches.clear();
            for (auto at = first; at < end; ++at) read(texts[at], before + at, worker, monitor);
            // Copied out, so that it has just the size it needs.
            auto& memory = sketch_memory_[memory_before + task];
            memory.assign(worker.sketches.begin(), worker.sketches.end());
            const auto* values = memory.data();
            for (auto at = before + first; at < before + end; ++at) {
                sketches_[at].values = values;
                values += sketches_[at].size;
            }
        });
    } catch (...) {  // nothing of an interrupted call is kept
        equality_.resize(before);
        words_.resize(before);
        keys_.resize(before);
        sketches_.resize(before);
        sketch_memory_.resize(memory_before);
        throw;
    }
}

void CopyFinder::read(const TextView& text, std::size_t at, Worker& worker, Monitor& monitor) {
    auto exact = options_;
    exact.kind = TokenKind::whitespace;
    exact.min_length = 1;
    std::uint64_t equality = 0;
    tokenize(text, exact, worker.scratch, [&](const Tokens& tokens) {
        monitor.check();
        for (std::size_t i = 0; i < tokens.size(); ++i)
            equality = hashing::mix(equality + 1, hash_token(tokens[i]));
    });
    equality_[at] = equality;

    auto& words = worker.words;
    words.clear();
    tokenize(text, options_, worker.scratch, [&](const Tokens& tokens) {
        monitor.check();
        for (std::size_t i = 0; i < tokens.size(); ++i) words.push_back(hash_token(tokens[i]));
    });
    words_[at] = static_cast<std::uint32_t>(words.size());

    auto& shingles = worker.shingles;
    shingles.clear();
    const auto length = std::min(shingle_words_, words.size());
    for (std::size_t end = length; length > 0 && end <= words.size(); ++end) {
        std::uint64_t hash = length;
        for (auto word = end - length; word < end; ++word) hash = hashing::mix(hash, words[word]);
        shingles.push_back(mixed(fold(hashing::finish(hash))));
    }
    std::sort(shingles.begin(), shingles.end());
    shingles.erase(std::unique(shingles.begin(), shingles.end()), shingles.end());

    const auto kept = std::min(shingles.size(), sketch_size);
    worker.sketches.insert(worker.sketches.end(), shingles.begin(),
                           shingles.begin() + static_cast<std::ptrdiff_t>(kept));
    sketches_[at] = {nullptr, static_cast<std::uint32_t>(kept),
                     static_cast<std::uint32_t>(shingles.size())};
    monitor.check();
    const auto minima = minima_of(shingles);
    for (std::size_t band = 0; band < bands; ++band) {
        std::uint64_t key = band;
        for (std::size_t row = 0; row < rows; ++row)
            key = hashing::mix(key, minima[band * rows + row]);
        keys_[at][band] = fold(hashing::finish(key));
    }
}

std::vector<std::uint32_t> CopyFinder::equal() const {
    std::vector<std::uint32_t> first(size()), order(size());
    std::iota(first.begin(), first.end(), 0u);
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(equality_[a], a) < std::pair(equality_[b], b);
    });
    for (std::size_t at = 1; at < order.size(); ++at)
        if (equality_[order[at]] != 0 && equality_[order[at]] == equality_[order[at - 1]])
            first[order[at]] = first[order[at - 1]];
    return first;
}

std::vector<std::uint32_t> CopyFinder::groups(double similar, std::size_t workers,
                                              Monitor& monitor) const {
    const auto first_equal = equal();
    DisjointSets sets(first_equal);
    std::mutex lock;
    run_tasks(bands, workers, monitor, [&](std::size_t band, std::size_t) {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
        link_band(band, similar, first_equal, monitor, found);
        const std::lock_guard guard(lock);
        for (const auto& [first, second] : found) sets.join(first, second);
        monitor.advance();
    });
    std::vector<std::uint32_t> groups(size());
    for (std::uint32_t text = 0; text < size(); ++text) groups[text] = sets.find(text);
    return groups;
}

// Compares the texts that agree in a band, each with the last few before it and with a few that
// were unlike all before them. Only the first of equal texts takes part.
void CopyFinder::link_band(std::size_t band, double similar,
                           const std::vector<std::uint32_t>& equal, Monitor& monitor,
                           std::vector<std::pair<std::uint32_t, std::uint32_t>>& found) const {
    std::vector<std::uint64_t> order;  // key and text
    for (std::uint32_t text = 0; text < size(); ++text)
        if (equal[text] == text && words_[text] > 0)
            order.push_back(std::uint64_t{keys_[text][band]} << 32 | text);
    monitor.check();
    std::sort(order.begin(), order.end());

    constexpr auto half = most_compared / 2;
    std::vector<std::uint32_t> unlike, recent;
    for (std::size_t at = 0; at < order.size(); ++at) {
        monitor.check();
        const auto text = static_cast<std::uint32_t>(order[at]);
        if (at == 0 || order[at] >> 32 != order[at - 1] >> 32) {
            unlike.clear();
            recent.clear();
        }
        bool joined = false;
        auto compare = [&](std::uint32_t other) {
            if (similarity(text, other) < similar) return;
            found.emplace_back(other, text);
            joined = true;
        };
        for (const auto other : unlike) {
            compare(other);
            if (joined) break;
        }
        for (const auto other : recent)
            if (std::find(unlike.begin(), unlike.end(), other) == unlike.end()) compare(other);
        if (!joined && unlike.size() < half) unlike.push_back(text);
        if (recent.size() == half) recent.erase(recent.begin());
        recent.push_back(text);
    }
}

double CopyFinder::similarity(std::size_t first, std::size_t second) const {
    const auto &a = sketches_[first], &b = sketches_[second];
    if (a.shingles == 0 || b.shingles == 0) return 0;
    // The smallest hashes of the union are known as far as the sketches reach.
    const bool whole = a.size == a.shingles && b.size == b.shingles;
    const auto most = whole ? std::size_t{a.size} + b.size : sketch_size;
    std::size_t at_a = 0, at_b = 0, together = 0, shared = 0;
    while (together < most && (at_a < a.size || at_b < b.size)) {
        const bool take_a = at_b == b.size || (at_a < a.size && a.values[at_a] <= b.values[at_b]);
        const bool take_b = at_a == a.size || (at_b < b.size && b.values[at_b] <= a.values[at_a]);
        at_a += take_a;
        at_b += take_b;
        shared += take_a && take_b;
        ++together;
    }
    return static_cast<double>(shared) / static_cast<double>(together);
}

}  // namespace postil
