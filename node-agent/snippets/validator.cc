#include "node-agent/snippets/validator.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/os/socket.h"
#include "common/wire/json.h"

namespace paddock::snippets {
namespace {

constexpr Millis kStartTime{30'000};
constexpr int kServesAtMost = 1'000;  // then another one takes over
constexpr size_t kIdleHelpers = 4;
constexpr size_t kMostBytes = size_t{4} << 20;

Error failed(const std::string& why) {
  return {Code::kUnavailable, "VALIDATOR_FAILED",
          cat("the code could not be checked (", why, "), so it was not run")};
}

// Says that a helper died after it was asked.
Error died() { return {Code::kInvalidArgument, "VALIDATOR_FAILED", "the checker ends over it"}; }
Error took_too_long() {
  return {Code::kDeadlineExceeded, "VALIDATOR_FAILED", "it takes the checker too long"};
}
bool is_lost(const Result<std::string>& answer) {
  return !answer.ok() && answer.error().code != Code::kUnavailable;
}

// Waits until `fd` is ready for `events`. DeadlineExceeded.
Status wait_for(int fd, short events, MonoTime end, const Clock& clock) {
  pollfd waited{fd, events, 0};
  while (true) {
    const auto left = std::clamp<int64_t>((end - clock.mono()).count(), 0, 60'000);
    const int count = poll(&waited, 1, static_cast<int>(left));
    if (count > 0) return {};
    if (count == 0) return took_too_long();
  }
}

Status send_all(int fd, std::string_view bytes, MonoTime end, const Clock& clock) {
  while (!bytes.empty()) {
    const ssize_t n = os::send_some(fd, bytes);
    if (n < 0 && errno != EAGAIN && errno != EINTR) return died();
    if (n < 0) {
      TRY(wait_for(fd, POLLOUT, end, clock));
      continue;
    }
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

// `<size>\n<bytes>`
std::optional<std::string_view> whole_answer(std::string_view bytes) {
  const size_t line = bytes.find('\n');
  if (line == std::string_view::npos) return std::nullopt;
  const auto size = parse_integer<size_t>(bytes.substr(0, line));
  if (!size || bytes.size() < line + 1 + *size) return std::nullopt;
  return bytes.substr(line + 1, *size);
}

}  // namespace

std::vector<std::string> texts_of(const std::vector<Finding>& findings) {
  std::vector<std::string> out;
  for (const Finding& each : findings) {
    if (std::ranges::find(out, each.text) == out.end()) out.push_back(each.text);
  }
  return out;
}

std::string summary_of(const std::vector<Finding>& findings) {
  constexpr size_t kMost = 20;
  std::string out = "Code validation failed: ";
  for (size_t i = 0; i < std::min(findings.size(), kMost); ++i)
    out += cat(i == 0 ? "" : "; ", findings[i].text, " (line ", findings[i].line, ")");
  if (findings.size() > kMost) out += cat("; and ", findings.size() - kMost, " more");
  return out;
}

Result<Verdict> read_verdict(std::string_view json) {
  const Error bad{Code::kInternal, "VALIDATOR_ANSWER", "the checker's answer makes no sense"};
  const auto document = wire::parse_json(json);
  if (!document.ok()) return bad;
  const wire::Value* errors = document->find("errors");
  const wire::Value* imports = document->find("imports");
  if (errors == nullptr || imports == nullptr || !errors->array() || !imports->array()) return bad;
  Verdict out;
  for (const wire::Value& each : *errors->array()) {
    const auto* pair = each.array();
    if (pair == nullptr || pair->size() != 2 || !(*pair)[0].string() || !(*pair)[1].integer())
      return bad;
    out.findings.push_back({*(*pair)[0].string(), *(*pair)[1].integer()});
  }
  for (const wire::Value& each : *imports->array()) {
    if (each.string() == nullptr) return bad;
    out.imports.push_back(*each.string());
  }
  return out;
}

Result<Validator::Helper> Validator::take() {
  while (true) {
    Helper helper = idle_.with([](std::vector<Helper>& idle) {
      if (idle.empty()) return Helper{};
      Helper out = std::move(idle.back());
      idle.pop_back();
      return out;
    });
    if (!helper.sandbox) break;
    if (!helper.sandbox->ended()) return helper;
  }
  ASSIGN_OR_RETURN(auto sandbox, make_());
  return Helper{std::move(sandbox), 0};
}

// Until it says that it waits for code: its start is no code's fault.
Status Validator::await(Helper& helper) const {
  if (helper.sandbox->ready()) return {};
  const bool said =
      wait_for(helper.sandbox->talk(), POLLIN, clock_.mono() + kStartTime, clock_).ok();
  return said && helper.sandbox->ready() ? Status() : failed("the checker does not start");
}

Result<std::string> Validator::ask(Helper& helper, const std::string& code) const {
  TRY(await(helper));
  const MonoTime end = clock_.mono() + check_time_;
  const int fd = helper.sandbox->talk();
  TRY(send_all(fd, cat(code.size(), "\n", code), end, clock_));
  std::string bytes;
  std::array<char, 65536> piece;
  while (true) {
    TRY(wait_for(fd, POLLIN, end, clock_));
    const ssize_t n = recv(fd, piece.data(), piece.size(), 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (n <= 0) return died();
    bytes.append(piece.data(), static_cast<size_t>(n));
    if (bytes.size() > kMostBytes) return died();
    if (const auto whole = whole_answer(bytes)) return std::string(*whole);
  }
}

// The verdict on code for which ask() gave an error.
Result<Verdict> Validator::lost(Helper& helper, const Error& error) const {
  if (error.code == Code::kUnavailable) return error;
  if (error.code == Code::kInvalidArgument) {
    // Where its launcher cannot say how it ended, it was not the code that ended it.
    const auto result = helper.sandbox->run("", Millis(1), -1, clock_);
    if (!result.ok() || result->status == contracts::SandboxStatus::kCanceled)
      return failed("the checker is gone");
    log_warn("a source ended its checker",
             {{"status", std::string(wire::enum_name(result->status))}, {"why", result->reason}});
  }
  Verdict out;
  out.findings.push_back({cat("Code cannot be checked: ", error.message), 1});
  return out;
}

Result<Verdict> Validator::check(const std::string& code) {
  ASSIGN_OR_RETURN(Helper helper, take());
  auto answer = ask(helper, code);
  if (is_lost(answer) && helper.served > 0) {
    // The helper may have ended for a reason that has nothing to do with this code: earlier code,
    // or the host. So a fresh one is asked.
    ASSIGN_OR_RETURN(auto fresh, make_());
    helper = Helper{std::move(fresh), 0};
    answer = ask(helper, code);
  }
  if (!answer.ok()) return lost(helper, answer.error());
  auto verdict = read_verdict(*answer);
  if (verdict.ok() && ++helper.served < kServesAtMost) {
    idle_.with([&](std::vector<Helper>& idle) {
      if (idle.size() < kIdleHelpers) idle.push_back(std::move(helper));
    });
  }
  return verdict;
}

Status Validator::prepare() {
  ASSIGN_OR_RETURN(Helper helper, take());
  idle_.with([&](std::vector<Helper>& idle) { idle.push_back(std::move(helper)); });
  return {};
}

}  // namespace paddock::snippets
