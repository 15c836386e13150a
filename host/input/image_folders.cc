#include "host/input/image_folders.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/printable.h"
#include "base/status.h"
#include "base/units.h"
#include "host/input/eval_words.h"
#include "host/input/shard_files.h"
#include "host/storage/beside.h"
#include "settings/nearest_names.h"

namespace podsim {
namespace {

constexpr int kDeepestFolder = 8;

bool IsImage(const std::string& name) {
  const std::string lower = absl::AsciiStrToLower(name);
  return name[0] != '.' &&
         (absl::EndsWith(lower, ".jpg") || absl::EndsWith(lower, ".jpeg") ||
          absl::EndsWith(lower, ".png"));
}

// An image of a format that podsim does not read.
bool IsOtherImage(const std::string& name) {
  constexpr const char* kOthers[] = {".avif", ".bmp", ".gif",  ".heic",
                                     ".jfif", ".tif", ".tiff", ".webp"};
  const std::string lower = absl::AsciiStrToLower(name);
  return name[0] != '.' && std::any_of(std::begin(kOthers), std::end(kOthers),
                                       [&](const char* end) {
                                         return absl::EndsWith(lower, end);
                                       });
}

bool IsShownFolder(const std::string& name) {
  return name.size() > 1 && name.back() == '/' && name[0] != '.';
}

// The images of a class, those in its folders behind its own.
struct ClassImages {
  std::vector<std::string> paths;
  std::int64_t direct = 0;
  std::string deeper;  // these three as of ImageSplit
  std::int64_t unread = 0;
  std::string first_unread;
};

absl::Status AddImages(const std::string& folder, int depth, ObjectStore& store,
                       ClassImages& images) {
  if (depth > kDeepestFolder)
    return absl::InvalidArgumentError(absl::StrCat(
        folder, ": folders of a class are nested deeper than ", kDeepestFolder,
        ": if a link there leads back, delete it"));
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                          store.List(folder));
  const std::size_t before = images.paths.size();
  for (const std::string& name : names) {
    if (name.empty() || name.back() == '/') continue;
    if (IsImage(name)) {
      images.paths.push_back(absl::StrCat(folder, "/", name));
    } else if (IsOtherImage(name) && images.unread++ == 0) {
      images.first_unread = absl::StrCat(folder, "/", name);
    }
  }
  if (depth == 0)
    images.direct = static_cast<std::int64_t>(images.paths.size());
  else if (images.paths.size() > before && images.deeper.empty())
    images.deeper = folder;
  for (const std::string& name : names)
    if (IsShownFolder(name))
      PODSIM_RETURN_IF_ERROR(
          AddImages(absl::StrCat(folder, "/", name.substr(0, name.size() - 1)),
                    depth + 1, store, images));
  return absl::OkStatus();
}

// Labels are those of training, in the folder `of_train`.
absl::Status TakeLabels(const std::vector<std::string>& classes,
                        const std::string& of_train, const std::string& of_eval,
                        ImageSplit& eval) {
  std::vector<std::int32_t> labels;
  for (const std::string& name : eval.classes) {
    const auto found = std::lower_bound(classes.begin(), classes.end(), name);
    if (found == classes.end() || *found != name)
      return absl::InvalidArgumentError(absl::StrCat(
          of_eval, " has a class ", PrintableLine(name), " that ", of_train,
          " has not; classes are folders of the same names in both: rename it, "
          "or add images of it for training",
          DidYouMean(name, classes)));
    labels.push_back(static_cast<std::int32_t>(found - classes.begin()));
  }
  for (ImageFile& file : eval.files)
    file.label = labels[static_cast<std::size_t>(file.label)];
  return absl::OkStatus();
}

std::string LooseText(const ImageSplit& split, const std::string& folder) {
  return absl::StrCat(FormatCounted(split.loose, "image"), " in ",
                      PrintableLine(folder), " itself");
}

std::string UnreadText(const ImageSplit& split) {
  return absl::StrCat(FormatCounted(split.unread, "image"),
                      " of formats that are not read (such as ",
                      PrintableLine(split.first_unread), ")");
}

// Of images that are not where or what they are expected to be.
void AddNotes(const ImageSplit& split, const std::string& folder,
              std::vector<std::string>& notes) {
  const auto files = static_cast<std::int64_t>(split.files.size());
  const std::int64_t deep = files - split.direct;
  if (deep > 0)
    notes.push_back(
        absl::StrCat(FormatCounted(deep, "image"), " of ", FormatCount(files),
                     " in folders inside a class (such as ",
                     PrintableLine(split.deeper), "): taken for the class"));
  if (split.loose > 0)
    notes.push_back(absl::StrCat(LooseText(split, folder),
                                 " left out: they are in no class's folder"));
  if (split.unread > 0)
    notes.push_back(
        absl::StrCat(UnreadText(split), " left out: make them JPEG or PNG"));
}

// The data_dir that has the classes, by a class's folder.
std::string DataDirOf(absl::string_view class_folder) {
  absl::string_view folder = class_folder.substr(0, class_folder.rfind('/'));
  absl::ConsumeSuffix(&folder, "/train");
  return std::string(folder);
}

// "holdout, spare", beside the folder of training.
std::string OtherFolders(const std::vector<std::string>& names) {
  std::vector<std::string> others;
  for (const std::string& name : names)
    if (IsShownFolder(name) && name != "train/")
      others.push_back(PrintableLine(name.substr(0, name.size() - 1)));
  return absl::StrJoin(others, ", ");
}

// What a folder of a split is called, here or elsewhere.
bool IsSplitWord(const std::string& name) {
  constexpr const char* kOthers[] = {"train", "training", "testing",
                                     "evaluation", "dev"};
  const std::string lower = absl::AsciiStrToLower(name);
  const auto is = [&lower](const char* word) { return lower == word; };
  return std::any_of(std::begin(kEvalWords), std::end(kEvalWords), is) ||
         std::any_of(std::begin(kOthers), std::end(kOthers), is);
}

absl::Status CheckFound(const ImageSplit& train, const std::string& folder,
                        bool parted, ObjectStore& store) {
  if (train.files.empty())
    return absl::NotFoundError(absl::StrCat(
        folder,
        ": no image for training; they lie in train/CLASS/*.jpg, *.jpeg or "
        "*.png",
        train.loose > 0
            ? absl::StrCat("; ", LooseText(train, folder),
                           ": put those of each class into a folder of its "
                           "name")
            : "",
        train.unread > 0
            ? absl::StrCat("; ", UnreadText(train), ": make them JPEG or PNG")
            : "",
        train.loose + train.unread > 0 ? "" : HoldsText(store, folder)));
  const std::vector<std::string>& classes = train.classes;
  if (!parted && std::all_of(classes.begin(), classes.end(), IsSplitWord))
    return absl::InvalidArgumentError(absl::StrCat(
        folder, ": images lie in ", PrintableLine(absl::StrJoin(classes, ", ")),
        ", which are called as splits are, not classes: name them train and "
        "eval, with a folder for each class in both"));
  if (parted || train.direct > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      folder, ": images lie one folder deeper than classes, in ", train.deeper,
      "; classes are the folders of data_dir or of data_dir/train: give the "
      "folder that has the classes, such as --data_dir=",
      DataDirOf(train.deeper)));
}

}  // namespace

absl::StatusOr<ImageSplit> ReadImageSplit(const std::string& folder,
                                          ObjectStore& store) {
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                          store.List(folder));
  ImageSplit split;
  std::vector<std::string> folders;
  for (const std::string& name : names) {
    if (IsShownFolder(name))
      folders.push_back(name.substr(0, name.size() - 1));
    else if (!name.empty() && name.back() != '/' && IsImage(name))
      ++split.loose;
  }
  std::sort(folders.begin(), folders.end());
  std::vector<ClassImages> of_class(folders.size());
  PODSIM_RETURN_IF_ERROR(OnSomeThreads(
      static_cast<std::int64_t>(folders.size()), [&](std::int64_t i) {
        const auto at = static_cast<std::size_t>(i);
        return AddImages(absl::StrCat(folder, "/", folders[at]), 0, store,
                         of_class[at]);
      }));
  for (std::size_t i = 0; i < of_class.size(); ++i) {
    split.unread += of_class[i].unread;
    if (split.first_unread.empty())
      split.first_unread = of_class[i].first_unread;
    if (of_class[i].paths.empty()) continue;
    const auto label = static_cast<std::int32_t>(split.classes.size());
    for (std::string& path : of_class[i].paths)
      split.files.push_back({.path = std::move(path), .label = label});
    split.classes.push_back(folders[i]);
    split.direct += of_class[i].direct;
    if (split.deeper.empty()) split.deeper = of_class[i].deeper;
  }
  return split;
}

absl::StatusOr<ImageSplits> FindImages(const std::string& folder,
                                       ObjectStore& store) {
  auto listed = store.List(folder);
  if (absl::IsNotFound(listed.status()))
    return absl::NotFoundError(absl::StrCat(
        "data_dir is '", folder,
        "', but there is no such folder; give one with train/CLASS/*.jpg or "
        "CLASS/*.jpg",
        BesideText(store, folder, Wanted::kFolder)));
  PODSIM_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                          std::move(listed));
  const auto has = [&names](const std::string& name) {
    return std::find(names.begin(), names.end(), name + "/") != names.end();
  };
  const bool parted = has("train");
  const std::string of_train = parted ? absl::StrCat(folder, "/train") : folder;
  ImageSplits splits;
  PODSIM_ASSIGN_OR_RETURN(splits.train, ReadImageSplit(of_train, store));
  PODSIM_RETURN_IF_ERROR(CheckFound(splits.train, of_train, parted, store));
  AddNotes(splits.train, of_train, splits.notes);
  for (const char* name : kEvalWords) {
    if (!parted || !has(name) || !splits.eval.files.empty()) continue;
    const std::string of_eval = absl::StrCat(folder, "/", name);
    PODSIM_ASSIGN_OR_RETURN(splits.eval, ReadImageSplit(of_eval, store));
    PODSIM_RETURN_IF_ERROR(
        TakeLabels(splits.train.classes, of_train, of_eval, splits.eval));
    AddNotes(splits.eval, of_eval, splits.notes);
  }
  const std::string left_out = OtherFolders(names);
  if (parted && splits.eval.files.empty() && !left_out.empty())
    splits.notes.push_back(absl::StrCat("no eval split: ", left_out, " in ",
                                        folder, " left out, as none is called ",
                                        absl::StrJoin(kEvalWords, ", ")));
  return splits;
}

}  // namespace podsim
