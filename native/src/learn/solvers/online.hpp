// Training by online updates: blocks of categories that visit the documents side by side.
#pragma once

#include "postil/learn/training.hpp"

namespace postil {

inline bool is_online(SolverName solver) {
    return solver == SolverName::mistake_driven || solver == SolverName::dual_gradient;
}

std::vector<Fit> train_online(const Design& design, const Lists* terms, const Assignment& assignment,
                              const LearnOptions& options, std::size_t workers, Monitor& monitor);

}  // namespace postil
