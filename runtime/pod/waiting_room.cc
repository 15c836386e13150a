#include "runtime/pod/waiting_room.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/rpc/address.h"
#include "base/rpc/token.h"
#include "base/units.h"

namespace podsim {
namespace {

// What hosts dial: an address to listen everywhere is none to call.
std::string DialAddress(const std::string& address,
                        const std::string& hostname) {
  auto parsed = ParseAddress(address);
  if (!parsed.ok() || (parsed->host != "0.0.0.0" && parsed->host != "::")) {
    return address;
  }
  parsed->host = hostname;
  return parsed->ToString();
}

template <typename Numbers>
std::string Processes(const Numbers& numbers) {
  return absl::StrCat(numbers.size() == 1 ? "process " : "processes ",
                      absl::StrJoin(numbers, ", "));
}

std::string HostsText(const ProcessInfo& info) {
  const int last = info.first_host() + info.hosts() - 1;
  return info.hosts() == 1
             ? absl::StrCat("host ", info.first_host())
             : absl::StrCat("hosts ", info.first_host(), " to ", last);
}

// HostJoined or HostLeft.
template <typename Change>
std::string PlaceText(const char* what, const Change& change) {
  const ProcessInfo& info = change.process();
  const int all = change.joined() + change.missing_size();
  std::string text = absl::StrCat(
      what, ": ", HostsText(info), " (process ", info.process(), ", pid ",
      info.pid(), " on ", info.hostname(), "), ", change.joined(), " of ", all);
  if (change.missing_size() > 0) {
    absl::StrAppend(&text, "; missing: ", Processes(change.missing()));
  }
  return text;
}

std::string RefusedText(const HostRefused& refused) {
  std::string text = absl::StrCat("turned away: ", refused.reason());
  if (refused.count() > 1) {
    absl::StrAppend(&text, " (", refused.count(), " so far)");
  }
  return text;
}

std::string WaitingText(const PodWaiting& waiting) {
  if (waiting.uncommitted() > 0)
    return absl::StrFormat(
        "waiting: all is trained, %s to be committed; %.0f s left for the next "
        "(--initialization_timeout)",
        FormatCounted(waiting.uncommitted(), "checkpoint"),
        waiting.seconds_left());
  if (waiting.tracing_size() > 0)
    return absl::StrCat("waiting: all is trained, for ",
                        Processes(waiting.tracing()), " to write the trace");
  std::string text = "waiting";
  if (!waiting.looking().empty())
    absl::StrAppend(&text, ": the coordinator looks for ", waiting.looking());
  if (waiting.missing_size() > 0) {
    absl::StrAppend(&text, " for ", Processes(waiting.missing()), " to join");
  }
  if (waiting.unready_size() > 0) {
    absl::StrAppend(&text, waiting.missing_size() > 0 ? "," : "", " for ",
                    Processes(waiting.unready()), " to be ready");
  }
  absl::StrAppendFormat(&text, "; %.0f s left (--initialization_timeout)",
                        waiting.seconds_left());
  return text;
}

}  // namespace

std::string InvitationText(const std::string& address,
                           const std::string& hostname, const JobPlan& plan,
                           bool allow_plaintext_network) {
  const auto parsed = ParseAddress(address);
  const bool local = parsed.ok() && parsed->IsLocal();
  std::string command =
      absl::StrCat("pod_host --coordinator=", DialAddress(address, hostname),
                   " --process=I");
  if (!local) {
    absl::StrAppend(&command,
                    " --ici_listen=0.0.0.0:8471 --ici_advertise=NAME:8471");
  }
  if (allow_plaintext_network) {
    absl::StrAppend(&command, " --allow_plaintext_network");
  }
  return absl::StrFormat(
      "waiting for hosts at %s; start process I = 0 to %d, each with this "
      "pod's %s, by\n    %s\n%swithin %.0f s (--initialization_timeout)",
      address, plan.spec().processes() - 1, kTokenVariable, command,
      local ? "" : "(NAME: what the other hosts call its machine) ",
      plan.spec().initialization_timeout());
}

std::string FormingText(const JobEvent& event, bool external_hosts) {
  switch (event.event_case()) {
    case JobEvent::kJoined:
      return external_hosts ? PlaceText("joined", event.joined()) : "";
    case JobEvent::kLeft:
      return external_hosts ? PlaceText("left", event.left()) : "";
    case JobEvent::kRefused:
      return RefusedText(event.refused());
    case JobEvent::kWaiting:
      return WaitingText(event.waiting());
    default:
      return "";
  }
}

}  // namespace podsim
