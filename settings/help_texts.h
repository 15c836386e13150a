// The texts around the flags in the help of each program. Pure.
#ifndef PODSIM_SETTINGS_HELP_TEXTS_H_
#define PODSIM_SETTINGS_HELP_TEXTS_H_

namespace podsim {

// No line is longer than kTextColumns (base/text_layout.h); all but `summary`
// end with a newline or are empty.
struct HelpTexts {
  const char* summary;             // what it does, in a line
  const char* introduction;        // the same at length
  const char* examples;            // commands that work, those of every day
  const char* more_examples = "";  // further ones, of the long help
  const char* closing;             // below the flags in the long help
};

const HelpTexts& LaunchTexts();
const HelpTexts& BenchTexts();
const HelpTexts& PlanTexts();
const HelpTexts& LadderTexts();
const HelpTexts& CkptTexts();
const HelpTexts& ProgramTexts();
const HelpTexts& DataTexts();
const HelpTexts& ReportTexts();
const HelpTexts& TopTexts();
const HelpTexts& HostTexts();
const HelpTexts& CoordinatorTexts();

}  // namespace podsim

#endif  // PODSIM_SETTINGS_HELP_TEXTS_H_
