#include "common/test_report/test_report.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "common/os/system.h"
#include "common/wire/json.h"

namespace paddock::contracts {
const std::map<std::string, std::string>& test_report_programs();  // embedded: python/*.py
}

namespace paddock::test_report {
namespace {

constexpr const char* kReportInside = "/paddock/tests.json";
constexpr const char* kKeyInside = "/tmp/.paddock/tests/key";
constexpr const char* kJudgeInside = "/tmp/.paddock/tests/judge.py";
constexpr const char* kWorkerInside = "/tmp/.paddock/tests/worker.py";
constexpr size_t kMostReportBytes = 4096;
constexpr size_t kMostKeyBytes = 256;
constexpr size_t kSealHex = 64;

std::string key_file(const std::string& folder) { return os::join_path(folder, "key"); }
std::string report_file(const std::string& folder) { return os::join_path(folder, "report"); }

// How many words start pytest; none: it is something else.
size_t starting_words(const std::vector<std::string>& command) {
  if (!command.empty() && command[0] == "pytest") return 1;
  const bool python = command.size() >= 3 && (command[0] == "python3" || command[0] == "python");
  return python && command[1] == "-m" && command[2] == "pytest" ? 3 : 0;
}

Result<std::string> read_key(const std::string& folder) {
  ASSIGN_OR_RETURN(const std::string text, os::read_file(key_file(folder), kMostKeyBytes));
  return std::string(trim(text));
}

std::optional<Report> open_report(const std::string& text, const std::string& key) {
  if (text.size() <= kSealHex + 1 || text[kSealHex] != '\n') return std::nullopt;
  const std::string_view body = trim(std::string_view(text).substr(kSealHex + 1));
  if (!crypto::equal_constant_time(text.substr(0, kSealHex), crypto::hmac_sha256_hex(key, body)))
    return std::nullopt;
  const auto value = wire::parse_json(body);
  if (!value) return std::nullopt;
  const auto report = wire::decode<Report>(*value);
  return report ? std::optional(*report) : std::nullopt;
}

}  // namespace

bool is_judged(const std::vector<std::string>& command) {
  return os::kLinux && starting_words(command) > 0;
}

Status prepare(const std::string& folder, std::optional<int64_t> owner, Random& random) {
  TRY(os::remove_tree(folder));
  TRY(os::make_dirs(folder, 0711));
  TRY(os::write_file_atomic(key_file(folder), crypto::make_token(random, "tests"), 0600));
  const os::Fd report(::open(report_file(folder).c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!report.valid()) return system_error("making the file of a test report", errno);
  if (!owner || ::geteuid() != 0) return {};
  const auto id = static_cast<uid_t>(*owner);
  if (::fchown(report.get(), id, id) != 0)
    return system_error("giving the file of a test report to its writer", errno);
  return {};
}

Status add_judge(const std::string& folder, contracts::LaunchRequest& request) {
  ASSIGN_OR_RETURN(const std::string key, read_key(folder));
  const auto& programs = contracts::test_report_programs();
  request.scratch_files[kKeyInside] = key;
  request.scratch_files[kJudgeInside] = programs.at("judge");
  request.scratch_files[kWorkerInside] = programs.at("worker");
  request.mounts.push_back({report_file(folder), kReportInside, contracts::MountMode::kReadWrite});
  const std::vector<std::string> asked = std::move(request.command);
  const size_t words = starting_words(asked);
  request.command = {
      words == 3 ? asked[0] : "python3", "-I", "-S", "-B", kJudgeInside, kReportInside, kKeyInside};
  request.command.insert(request.command.end(), asked.begin() + static_cast<ptrdiff_t>(words),
                         asked.end());
  return {};
}

std::optional<Report> read(const std::string& folder) {
  const auto key = read_key(folder);
  const auto root = os::open_root(folder);
  if (!key || !root) return std::nullopt;
  const auto file = os::open_regular_beneath(root->get(), "report");
  if (!file) return std::nullopt;
  const auto text = os::read_all(file->get(), kMostReportBytes);
  if (!text) return std::nullopt;
  return open_report(*text, *key);
}

}  // namespace paddock::test_report
