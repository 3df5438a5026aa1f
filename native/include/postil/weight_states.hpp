// Weights as functions of a sum of documents θ = θ₀ + Σ aᵢ yᵢ xᵢ: what updates one by one move.
//
//     additive         w = θ                            Perceptron, SVM
//     multiplicative   w = unit (exp(θ) - exp(-θ))      balanced Winnow; positive: unit exp(θ)
//
// (zhang-2000, section 2). Lanes of a term lie together. A look at a document and a move along it cost
// its terms, also where weights are normalised: their sum is kept up to date on the way. Memory: 8
// bytes for each term and lane of an additive state, 16 of a multiplicative one.
#pragma once

#include "postil/additive_state.hpp"
#include "postil/multiplicative_state.hpp"
