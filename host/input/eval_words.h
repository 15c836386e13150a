// What the eval split is called in the names of files and folders. Pure.
#ifndef PODSIM_HOST_INPUT_EVAL_WORDS_H_
#define PODSIM_HOST_INPUT_EVAL_WORDS_H_

namespace podsim {

// The first that finds anything wins.
inline constexpr const char* kEvalWords[] = {"eval", "validation", "valid",
                                             "val", "test"};

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_EVAL_WORDS_H_
