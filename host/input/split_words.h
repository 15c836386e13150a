// The splits of files that lie side by side, by the words in their names.
#ifndef PODSIM_HOST_INPUT_SPLIT_WORDS_H_
#define PODSIM_HOST_INPUT_SPLIT_WORDS_H_

#include <string>
#include <vector>

#include "host/input/shard_files.h"

namespace podsim {

// "2 files (x-train-0 ...)". REQUIRES: there is one.
std::string SomeFilesText(const std::vector<std::string>& files);

// Files with the word train, or without a split's word if there are none of
// these, are for training; the first of the eval words that is there names the
// eval split. Letters may be of any case; training, evaluation, dev and testing
// count as train, eval, validation and test. Files of one split alone are for
// training. Of several eval splits and nothing else all are `eval`: there is
// none for training. Pure.
SplitNames SplitByWord(const std::vector<std::string>& files);

}  // namespace podsim

#endif  // PODSIM_HOST_INPUT_SPLIT_WORDS_H_
