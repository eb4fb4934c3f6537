#include "cli/pool/pool_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "cli/pool/pilot_script.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::cli {
namespace {

constexpr std::string_view kIntent = ".intent";
constexpr std::string_view kToken = ".token";
constexpr std::string_view kGiven = ".given";
constexpr std::string_view kJoined = "joined\n";  // as pilot_script() writes it
constexpr size_t kMostFile = 1 << 20;

std::string intent_file(const std::string& folder, const std::string& key) {
  return os::join_path(folder, cat(key, kIntent));
}

std::string given_file(const std::string& folder, const std::string& pilot) {
  return os::join_path(folder, cat(pilot, kGiven));
}

std::string state_file(const std::string& folder) { return os::join_path(folder, "state.json"); }

Status remove_file(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return system_error("removing a file of the pool", errno);
}

// Checks that nobody else may use the folder: a user who could write here could replace a token by
// another, and one who could read could take it.
Status check_private(const std::string& path) {
  struct stat info = {};
  if (::lstat(path.c_str(), &info) != 0) return system_error("looking at the pool's folder", errno);
  if (S_ISDIR(info.st_mode) && info.st_uid == ::geteuid() && (info.st_mode & 077) == 0) return {};
  return Error{
      Code::kInvalidArgument,
      "CONFIG_INVALID",
      "the pool's folder must be a folder of this user that nobody else may use: chmod 700",
      {{"folder", "must be this user's alone (chmod 700)"}}};
}

}  // namespace

std::string intent_text(const Intent& intent) {
  return cat(intent.at.ms, " ", intent.size.cpus, " ", intent.size.memory_mib, " ",
             intent.size.gpus, " ", intent.size.nodes, "\n");
}

std::optional<Intent> parse_intent(std::string_view text) {
  const std::vector<std::string> words = split(trim(text), ' ');
  if (words.size() != 4 && words.size() != 5) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const std::string& word : words) {
    const auto number = parse_integer<int64_t>(word);
    if (!number || *number < 0) return std::nullopt;
    numbers.push_back(*number);
  }
  if (numbers.size() == 4) numbers.push_back(1);  // of a release that knew no gangs
  return Intent{{numbers[1], numbers[2], numbers[3], numbers[4]}, WallTime{numbers[0]}};
}

Result<PoolFolder> PoolFolder::open(const std::string& path) {
  TRY(os::make_dirs(path));
  TRY(check_private(path));
  TRY(os::make_dirs(logs_folder(path)));
  ASSIGN_OR_RETURN(os::LockFile lock, os::LockFile::acquire(os::join_path(path, "lock")));
  return PoolFolder(path, std::move(lock));
}

Status PoolFolder::put_ca(const std::string& pem) const {
  if (pem.empty()) return remove_file(ca_file(path_));
  return os::write_file_atomic(ca_file(path_), pem, 0600);
}

// One that was torn was about to be written: nothing was submitted for it.
Result<std::map<std::string, Intent>> PoolFolder::intents() const {
  ASSIGN_OR_RETURN(const auto texts, os::read_folder(path_, kIntent, kMostFile));
  std::map<std::string, Intent> out;
  for (const auto& [key, text] : texts) {
    if (const auto intent = parse_intent(text)) out.emplace(key, *intent);
  }
  return out;
}

Status PoolFolder::put_intent(const std::string& key, const Intent& intent) const {
  return os::write_file_atomic(intent_file(path_, key), intent_text(intent), 0600);
}

Status PoolFolder::drop_intent(const std::string& key) const {
  return remove_file(intent_file(path_, key));
}

Status PoolFolder::put_token(const std::string& pilot, const std::string& token) const {
  TRY(os::write_file_atomic(token_file(path_, pilot), token + "\n", 0600));
  return os::write_file_atomic(given_file(path_, pilot), "", 0600);
}

bool PoolFolder::was_given(const std::string& pilot) const {
  return os::exists(given_file(path_, pilot));
}

Result<std::set<std::string>> PoolFolder::joined() const {
  ASSIGN_OR_RETURN(const auto texts, os::read_folder(path_, kGiven, kMostFile));
  std::set<std::string> out;
  for (const auto& [pilot, text] : texts) {
    if (text == kJoined) out.insert(pilot);
  }
  return out;
}

Status PoolFolder::put_joined(const std::string& pilot) const {
  return os::write_file_atomic(given_file(path_, pilot), kJoined, 0600);
}

Status PoolFolder::drop_tokens_but(const std::set<std::string>& listed) const {
  ASSIGN_OR_RETURN(const auto names, os::list_dir(path_));
  for (const std::string& name : names) {
    if (!name.ends_with(kToken) && !name.ends_with(kGiven)) continue;
    const std::string pilot = name.substr(0, name.rfind('.'));
    if (!listed.contains(pilot)) TRY(remove_file(os::join_path(path_, name)));
  }
  return {};
}

Status PoolFolder::prune_logs(size_t kept) const {
  const std::string folder = logs_folder(path_);
  ASSIGN_OR_RETURN(std::vector<std::string> names, os::list_dir(folder));
  if (names.size() <= kept) return {};
  // Sorts by the job's number, the newest last.
  std::ranges::sort(names, {},
                    [](const std::string& name) { return std::pair(name.size(), name); });
  for (size_t i = 0; i + kept < names.size(); ++i)
    TRY(remove_file(os::join_path(folder, names[i])));
  return {};
}

Status PoolFolder::put_state(const wire::Value& state) const {
  return os::replace_file(state_file(path_), wire::to_json(state) + "\n", 0600);
}

Result<wire::Value> read_pool_state(const std::string& folder) {
  ASSIGN_OR_RETURN(const std::string text, os::read_file(state_file(folder), kMostFile));
  return wire::parse_json(text);
}

}  // namespace paddock::cli
