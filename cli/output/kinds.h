// The kinds of resources the CLI knows, and their names. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace paddock::cli {

enum class Kind { kRun, kWorkspace, kVolume, kGrant, kToolToken, kSandbox, kSecret, kNode };

struct KindInfo {
  Kind kind;
  std::string_view singular;
  std::string_view plural;
  std::string_view short_name;
  std::string_view object_kind;  // `kind` of an object
  bool namespaced;
};
const KindInfo& info(Kind kind);
std::span<const KindInfo> all_kinds();
// By singular, plural or short name, upper or lower case. UNKNOWN_KIND names the known ones.
Result<Kind> parse_kind(std::string_view word);
// By an object's `kind`, letter by letter; nothing for one that we do not know, and what to say
// then.
std::optional<Kind> kind_of_object(std::string_view object_kind);
std::string unknown_object_kind(std::string_view object_kind);

}  // namespace paddock::cli
