// The folder of a step on a store of objects, told from names.
#include <set>
#include <string>
#include <utility>

#include "host/checkpoint/folders.h"
#include "host/checkpoint/layout.h"

namespace podsim {
namespace {

using Listed = ConditionalObjects::Listed;

// "200" and "1785/manifest.json" of "200/1785/manifest.json".
struct Cut {
  std::string first;
  std::string rest;  // empty: there is no slash
};

Cut CutAtSlash(const std::string& name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return {name, ""};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

void AddFile(const Listed& listed, const std::string& name,
             StepFolder::Files& files) {
  Listed file = listed;
  file.name = name;
  files.push_back(std::move(file));
}

}  // namespace

bool StepFolder::HasManifest(const Files& files) {
  return std::any_of(files.begin(), files.end(), [](const Listed& file) {
    return file.name == kManifestName;
  });
}

bool StepFolder::IsWhole(const Files& files) {
  bool manifest = false;
  bool sums = false;
  std::set<int> parts;
  int of = 0;
  for (const Listed& file : files) {
    manifest = manifest || file.name == kManifestName;
    sums = sums || file.name == kSumsName;
    if (const auto part = ParsePartName(file.name)) {
      parts.insert(part->part);
      of = part->parts;
    }
  }
  return manifest && sums && of > 0 &&
         parts.size() == static_cast<std::size_t>(of);
}

std::map<std::int64_t, StepFolder> FoldersOf(const std::vector<Listed>& tree) {
  std::map<std::int64_t, StepFolder> folders;
  for (const Listed& listed : tree) {
    const Cut top = CutAtSlash(listed.name);
    const auto step = ParseStep(top.first);
    // An object that marks a directory has nothing behind its last slash.
    if (!step || top.rest.empty() || top.rest.back() == '/') continue;
    StepFolder& folder = folders[*step];
    const Cut inside = CutAtSlash(top.rest);
    if (inside.rest.empty()) {
      folder.marked = folder.marked || inside.first == kMarkerName;
      AddFile(listed, inside.first, folder.direct);
    } else if (const auto stamp = ParseStep(inside.first)) {
      AddFile(listed, inside.rest, folder.below[*stamp]);
    }
  }
  return folders;
}

}  // namespace podsim
