// Copies are found in every encoding, by any number of threads, whatever the bytes.
#pragma once

#include <string>
#include <vector>

#include "../ledger.hpp"
#include "../random.hpp"
#include "postil/copies/copy_finder.hpp"
#include "sample_corpus.hpp"

namespace postil::tests {

class CopyChecks {
public:
    CopyChecks(Ledger& ledger, Random& random) : ledger_(ledger), random_(random) {}

    void run(const std::string& bytes) {
        std::vector<ExactText> texts;
        for (auto count = random_.between(1, 80); count > 0; --count)
            texts.push_back(in_some_encoding(part_of(bytes, random_), random_));
        const auto copied = texts.size();
        for (auto count = random_.between(1, 80); count > 0; --count)
            texts.push_back(texts[random_.below(copied)]);

        TokenizerOptions options;
        options.kind = random_.pick(std::vector{TokenKind::words, TokenKind::chars});
        options.gram_max = options.gram_min = static_cast<std::uint32_t>(random_.between(1, 3));
        const auto shingle = random_.between(1, 4);
        Monitor monitor;
        CopyFinder at_once(options, shingle), in_parts(options, shingle);
        at_once.add(views(texts, 0, texts.size()), 1, monitor);
        const auto middle = random_.below(texts.size() + 1);
        in_parts.add(views(texts, 0, middle), 2, monitor);
        in_parts.add(views(texts, middle, texts.size()), 3, monitor);

        const auto equal = at_once.equal();
        const auto groups = at_once.groups(0.7, 1, monitor);
        ledger_.check(equal == in_parts.equal() && groups == in_parts.groups(0.7, 3, monitor),
                      "copies do not depend on threads and batches");
        bool named = true, similar = true;
        for (std::size_t text = 0; text < texts.size(); ++text) {
            named = named && groups[text] <= equal[text] && groups[groups[text]] == groups[text] &&
                    equal[text] <= text && equal[equal[text]] == equal[text];
            const auto other = random_.below(texts.size());
            const auto both = at_once.similarity(text, other);
            similar = similar && both >= 0 && both <= 1 &&
                      both == at_once.similarity(other, text);
            // White space tells n-grams of characters apart, but not words.
            if (options.kind == TokenKind::words && at_once.words()[text] > 0)
                similar = similar && at_once.similarity(text, equal[text]) == 1;
        }
        ledger_.check(named, "groups and copies are named by their first text");
        ledger_.check(similar, "similarities are symmetric and from 0 to 1");
    }

private:
    static std::vector<TextView> views(const std::vector<ExactText>& texts, std::size_t first,
                                       std::size_t last) {
        std::vector<TextView> found;
        for (auto at = first; at < last; ++at) found.push_back(texts[at].view());
        return found;
    }

    Ledger& ledger_;
    Random& random_;
};

}  // namespace postil::tests
