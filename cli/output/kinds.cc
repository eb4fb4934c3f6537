#include "cli/output/kinds.h"

#include <algorithm>
#include <array>
#include <vector>

#include "common/base/nearest.h"
#include "common/base/text.h"
#include "common/contracts/kinds.h"

namespace paddock::cli {
namespace {

constexpr KindInfo row(Kind kind, std::string_view object_kind) {
  const contracts::KindNames& names = contracts::kind_names(object_kind);
  return {kind, names.singular, names.plural, names.short_name, names.kind, names.namespaced};
}

constexpr std::array kKinds = {row(Kind::kRun, contracts::Run::kKind),
                               row(Kind::kWorkspace, contracts::Workspace::kKind),
                               row(Kind::kVolume, contracts::Volume::kKind),
                               row(Kind::kGrant, contracts::Grant::kKind),
                               row(Kind::kToolToken, contracts::ToolToken::kKind),
                               row(Kind::kSandbox, contracts::Sandbox::kKind),
                               row(Kind::kSecret, contracts::Secret::kKind),
                               row(Kind::kNode, contracts::Node::kKind)};
static_assert(kKinds.size() == contracts::kKindNames.size());

// Another word for a kind, which users of other tools may type.
struct OtherName {
  std::string_view word;
  Kind kind;
};
constexpr std::array kOtherNames = {
    OtherName{"pod", Kind::kRun},           OtherName{"po", Kind::kRun},
    OtherName{"job", Kind::kRun},           OtherName{"task", Kind::kRun},
    OtherName{"container", Kind::kRun},     OtherName{"session", Kind::kSandbox},
    OtherName{"host", Kind::kNode},         OtherName{"machine", Kind::kNode},
    OtherName{"worker", Kind::kNode},       OtherName{"agent", Kind::kNode},
    OtherName{"project", Kind::kWorkspace}, OtherName{"folder", Kind::kWorkspace},
    OtherName{"pvc", Kind::kVolume},        OtherName{"persistentvolumeclaim", Kind::kVolume},
    OtherName{"quota", Kind::kGrant},       OtherName{"resourcequota", Kind::kGrant}};

// In one or in many; empty: nobody's.
std::string other_name(std::string_view word) {
  if (word.ends_with('s')) word.remove_suffix(1);
  const auto found = std::ranges::find(kOtherNames, word, &OtherName::word);
  return found == kOtherNames.end() ? std::string() : std::string(info(found->kind).plural);
}

}  // namespace

const KindInfo& info(Kind kind) { return kKinds[static_cast<size_t>(kind)]; }

std::span<const KindInfo> all_kinds() { return kKinds; }

Result<Kind> parse_kind(std::string_view word) {
  std::string lower = ascii_lower(word);
  // kubectl's full form: runs.paddock.dev
  if (lower.ends_with(".paddock.dev"))
    lower.resize(lower.size() - std::string_view(".paddock.dev").size());
  for (const KindInfo& each : kKinds) {
    if (lower == each.singular || lower == each.plural || lower == each.short_name)
      return each.kind;
  }
  std::vector<std::string> known;
  std::vector<std::string> names;
  for (const KindInfo& each : kKinds) {
    known.push_back(cat(each.plural, " (", each.short_name, ")"));
    names.insert(names.end(), {std::string(each.singular), std::string(each.plural)});
  }
  if (lower == "pool" || lower == "pools")
    return invalid_argument("UNKNOWN_KIND",
                            cat("there is no kind `", word,
                                "`: a pool is no object, but a program beside the controller; what "
                                "it asked for and why says `paddock pool describe --config FILE`"),
                            "KIND");
  const std::string other = other_name(lower);
  const std::string near = other.empty() ? nearest(lower, names) : other;
  const std::string meant = near.empty()
                                ? ": a kind stands before a name, as in `run NAME`; known: "
                                : cat("; did you mean `", near, "`? Known: ");
  return invalid_argument("UNKNOWN_KIND",
                          cat("there is no kind `", word, "`", meant, join(known, ", ")), "KIND");
}

std::optional<Kind> kind_of_object(std::string_view object_kind) {
  const auto found = std::ranges::find(kKinds, object_kind, &KindInfo::object_kind);
  return found == kKinds.end() ? std::nullopt : std::optional(found->kind);
}

std::string unknown_object_kind(std::string_view object_kind) {
  std::vector<std::string> known;
  for (const KindInfo& each : kKinds) known.emplace_back(each.object_kind);
  return cat("`", object_kind, "` is none of ", join(known, ", "));
}

}  // namespace paddock::cli
