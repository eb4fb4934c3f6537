#include "node-agent/sandbox/linux/users/user_range.h"

#include <limits>
#include <optional>
#include <string>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

constexpr std::string_view kOurName = "paddock";
constexpr uint64_t kLowest = 65'536;  // below are users of the system, and `nobody`
constexpr uint64_t kEndOfUsers = std::numeric_limits<uid_t>::max();  // itself no user
constexpr uint64_t kMostAtOnce = uint64_t{1} << 24;

Error no_own_user(std::string why) {
  return {Code::kFailedPrecondition, "NO_OWN_USER", std::move(why)};
}

// Whether every user of the host has a number here: only there may mounts be mapped.
bool is_initial(std::string_view uid_map) {
  std::string numbers;
  for (const std::string& word : split(std::string(trim(uid_map)), ' ')) {
    if (!word.empty()) numbers += cat(word, " ");
  }
  return numbers == "0 0 4294967295 ";
}

struct Named {
  std::string name;
  uint64_t first = 0;
  uint64_t count = 1;
};

// Reads a line NAME:FIRST:COUNT.
std::optional<Named> subordinates_of(const std::string& line) {
  const auto parts = split(line, ':');
  if (parts.size() != 3) return std::nullopt;
  const auto first = parse_integer<uint64_t>(parts[1]);
  const auto count = parse_integer<uint64_t>(parts[2]);
  if (!first || !count) return std::nullopt;
  return Named{parts[0], *first, *count};
}

// Reads a line NAME:PASSWORD:NUMBER:…, of a user or a group.
std::optional<Named> login_of(const std::string& line) {
  const auto parts = split(line, ':');
  const auto number = parts.size() < 3 ? std::nullopt : parse_integer<uint64_t>(parts[2]);
  return number ? std::optional(Named{parts[0], *number, 1}) : std::nullopt;
}

bool meets(const UserRange& range, const Named& other) {
  return other.first < uint64_t{range.first} + range.count &&
         other.first + std::min(other.count, kEndOfUsers) > range.first;
}

Result<UserRange> named_range(std::string_view subuid) {
  for (const std::string& line : split(subuid, '\n')) {
    if (!line.starts_with(cat(kOurName, ":"))) continue;
    const auto ours = subordinates_of(line);
    if (!ours || ours->first < kLowest || ours->count == 0 || ours->count > kMostAtOnce ||
        ours->first > kEndOfUsers - ours->count)
      return no_own_user(cat("the line of ", kOurName, " in /etc/subuid names no range: write ",
                             kOurName, ":FIRST:COUNT, with FIRST from ", kLowest,
                             " and COUNT up to ", kMostAtOnce));
    return UserRange{static_cast<uid_t>(ours->first), static_cast<uid_t>(ours->count)};
  }
  return UserRange{};
}

// Names the range by its numbers: a reader of a run's result does not know the names of the host's
// users.
std::string numbers_text(const Named& other) {
  if (other.count <= 1) return cat(other.first);
  const uint64_t last = other.first + std::min(other.count, kEndOfUsers) - 1;
  return cat(other.first, " to ", std::min(last, kEndOfUsers));
}

using Parse = std::optional<Named> (*)(const std::string& line);

Status check_free(const UserRange& range, std::string_view text, Parse parse, const char* where) {
  for (const std::string& line : split(text, '\n')) {
    const auto other = parse(line);
    if (!other || other->name == kOurName || !meets(range, *other)) continue;
    return no_own_user(cat("the users ", range.first, " to ", range.first + (range.count - 1),
                           " are not free: ", where, " has ", numbers_text(*other),
                           "; name others in /etc/subuid, as ", kOurName, ":FIRST:COUNT"));
  }
  return {};
}

}  // namespace

Result<UserRange> choose_user_range(const UserFiles& files) {
  if (!is_initial(files.uid_map))
    return no_own_user("the launcher is in a user namespace, where no mount can be mapped");
  ASSIGN_OR_RETURN(const UserRange range, named_range(files.subuid));
  TRY(check_free(range, files.subuid, subordinates_of, "/etc/subuid"));
  TRY(check_free(range, files.passwd, login_of, "/etc/passwd"));
  TRY(check_free(range, files.subgid, subordinates_of, "/etc/subgid"));
  TRY(check_free(range, files.group, login_of, "/etc/group"));
  return range;
}

}  // namespace paddock::sandbox
