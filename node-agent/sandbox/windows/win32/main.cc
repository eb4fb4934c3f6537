// paddock-sandbox on Windows: reads a request and appends frames as on Linux (common/contracts/
// launch.h). Exit codes: 0 a result was written, 2 usage, 3 the lock is held, 1 anything else.
//
//   paddock-sandbox run --request FILE --events FILE [--lock FILE] [--open-host]
#include <windows.h>

#include <cstdio>
#include <memory>
#include <string>

#include "common/base/text.h"
#include "common/base/time.h"
#include "common/contracts/sandbox_refusal.h"
#include "common/wire/json.h"
#include "node-agent/sandbox/windows/backend.h"
#include "node-agent/sandbox/windows/win32/job_host.h"

namespace paddock::sandbox {
namespace {

constexpr size_t kMaxRequestBytes = size_t{16} << 20;

struct Options {
  const wchar_t* request = nullptr;
  const wchar_t* events = nullptr;
  const wchar_t* lock = nullptr;
  bool open_host = false;
};

bool parse(int argc, wchar_t** argv, Options& out) {
  if (argc < 2 || std::wstring_view(argv[1]) != L"run") return false;
  for (int i = 2; i < argc; ++i) {
    const std::wstring_view name = argv[i];
    if (name == L"--open-host") {
      out.open_host = true;
      continue;
    }
    if (i + 1 == argc) return false;
    const wchar_t* value = argv[++i];
    if (name == L"--request") {
      out.request = value;
    } else if (name == L"--events") {
      out.events = value;
    } else if (name == L"--lock") {
      out.lock = value;
    } else {
      return false;
    }
  }
  return out.request != nullptr && out.events != nullptr;
}

using File = std::unique_ptr<FILE, int (*)(FILE*)>;

Result<std::string> read_file(const wchar_t* path) {
  const File file(_wfopen(path, L"rb"), fclose);
  if (file == nullptr)
    return Error{Code::kInternal, "REQUEST_UNREADABLE", "the request cannot be opened"};
  std::string out;
  char bytes[64 << 10];
  size_t n = 0;
  while ((n = fread(bytes, 1, sizeof bytes, file.get())) > 0 && out.size() <= kMaxRequestBytes)
    out.append(bytes, n);
  return out;
}

Result<contracts::LaunchRequest> read_request(const wchar_t* path) {
  ASSIGN_OR_RETURN(const std::string text, read_file(path));
  ASSIGN_OR_RETURN(const wire::Value value,
                   wire::parse_json(text, {.max_bytes = kMaxRequestBytes}));
  return wire::decode<contracts::LaunchRequest>(value);
}

int run(const Options& options, const Clock& clock) {
  HANDLE lock = INVALID_HANDLE_VALUE;  // nobody else can open it while this process lives
  if (options.lock != nullptr) {
    lock = CreateFileW(options.lock, GENERIC_READ | GENERIC_WRITE, 0, nullptr, OPEN_ALWAYS, 0,
                       nullptr);
    if (lock == INVALID_HANDLE_VALUE) return 3;
  }
  const File events(_wfopen(options.events, L"ab"), fclose);
  if (events == nullptr) return 1;
  const EmitFrame emit = [&](contracts::FrameType type, std::string_view payload) {
    std::string frame = contracts::frame_header(type, clock.wall().ms, payload.size());
    frame += payload;
    frame += '\n';
    if (fwrite(frame.data(), 1, frame.size(), events.get()) == frame.size() &&
        fflush(events.get()) == 0)
      return Status();
    return Status(Error{Code::kInternal, "EVENTS_LOST", "the events file takes no more"});
  };
  contracts::SandboxResult result;
  const auto request = read_request(options.request);
  if (request.ok()) {
    const auto windows = make_win32();
    result = launch_in_job(*request, emit, clock, *windows, options.open_host);
  } else {
    contracts::tell_not_started(
        {Code::kInvalidArgument, "INVALID_REQUEST", request.error().describe()}, result);
  }
  return emit(contracts::FrameType::kResult, wire::encode_json(result)).ok() ? 0 : 1;
}

}  // namespace
}  // namespace paddock::sandbox

int wmain(int argc, wchar_t** argv) {
  paddock::sandbox::Options options;
  if (!paddock::sandbox::parse(argc, argv, options)) {
    (void)fputs(
        "usage: paddock-sandbox run --request FILE --events FILE [--lock FILE] [--open-host]\n",
        stderr);
    return 2;
  }
  return paddock::sandbox::run(options, paddock::SystemClock());
}
