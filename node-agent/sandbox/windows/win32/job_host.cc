#include "node-agent/sandbox/windows/win32/job_host.h"

#include <windows.h>

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

static_assert(job::kJobTime == JOB_OBJECT_LIMIT_JOB_TIME);
static_assert(job::kActiveProcess == JOB_OBJECT_LIMIT_ACTIVE_PROCESS);
static_assert(job::kJobMemory == JOB_OBJECT_LIMIT_JOB_MEMORY);
static_assert(job::kDieOnUnhandledException == JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION);
static_assert(job::kKillOnClose == JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE);

constexpr UINT kEndedByLauncher = 137;
std::atomic<bool> canceled = false;

BOOL WINAPI on_console_event(DWORD) {
  canceled = true;
  return TRUE;
}

class Handle {
 public:
  Handle() = default;
  explicit Handle(HANDLE handle) : handle_(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Handle() {
    if (handle_ != nullptr) CloseHandle(handle_);
  }
  HANDLE get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  HANDLE handle_ = nullptr;
};

Error failed(const char* doing) {
  return {Code::kInternal, "SANDBOX_SETUP_FAILED",
          cat(doing, " failed with Windows error ", uint32_t{GetLastError()})};
}

std::wstring wide(std::string_view text) {
  if (text.empty()) return {};
  const int bytes = static_cast<int>(text.size());
  std::wstring out(
      static_cast<size_t>(MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, nullptr, 0)), L'\0');
  MultiByteToWideChar(CP_UTF8, 0, text.data(), bytes, out.data(), static_cast<int>(out.size()));
  return out;
}

std::string narrow(std::wstring_view text) {
  if (text.empty()) return {};
  const int units = static_cast<int>(text.size());
  std::string out(static_cast<size_t>(WideCharToMultiByte(CP_UTF8, 0, text.data(), units, nullptr,
                                                          0, nullptr, nullptr)),
                  '\0');
  WideCharToMultiByte(CP_UTF8, 0, text.data(), units, out.data(), static_cast<int>(out.size()),
                      nullptr, nullptr);
  return out;
}

struct PipeEnds {
  Handle read;
  Handle write;
};

Result<PipeEnds> make_output_pipe() {
  HANDLE read = nullptr;
  HANDLE write = nullptr;
  if (CreatePipe(&read, &write, nullptr, 64 << 10) == 0) return failed("CreatePipe");
  PipeEnds out{Handle(read), Handle(write)};
  if (SetHandleInformation(write, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT) == 0)
    return failed("SetHandleInformation");
  return out;
}

std::string read_now(HANDLE pipe) {
  DWORD waiting = 0;
  if (PeekNamedPipe(pipe, nullptr, 0, nullptr, &waiting, nullptr) == 0 || waiting == 0) return {};
  std::string out(std::min<DWORD>(waiting, 64 << 10), '\0');
  DWORD got = 0;
  if (ReadFile(pipe, out.data(), static_cast<DWORD>(out.size()), &got, nullptr) == 0) return {};
  out.resize(got);
  return out;
}

// The handles that the new process gets, and the job that it is born in.
class StartAttributes {
 public:
  Status fill(std::vector<HANDLE> handles, HANDLE job) {
    handles_ = std::move(handles);
    job_ = job;
    SIZE_T bytes = 0;
    InitializeProcThreadAttributeList(nullptr, 2, 0, &bytes);
    space_.resize(bytes);
    list_ = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(space_.data());
    if (InitializeProcThreadAttributeList(list_, 2, 0, &bytes) == 0)
      return failed("InitializeProcThreadAttributeList");
    ready_ = true;
    if (UpdateProcThreadAttribute(list_, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(),
                                  handles_.size() * sizeof(HANDLE), nullptr, nullptr) == 0 ||
        UpdateProcThreadAttribute(list_, 0, PROC_THREAD_ATTRIBUTE_JOB_LIST, &job_, sizeof job_,
                                  nullptr, nullptr) == 0)
      return failed("UpdateProcThreadAttribute");
    return {};
  }
  ~StartAttributes() {
    if (ready_) DeleteProcThreadAttributeList(list_);
  }
  LPPROC_THREAD_ATTRIBUTE_LIST list() const { return list_; }

 private:
  std::vector<HANDLE> handles_;
  HANDLE job_ = nullptr;
  std::vector<char> space_;
  LPPROC_THREAD_ATTRIBUTE_LIST list_ = nullptr;
  bool ready_ = false;
};

class JobHost final : public Win32 {
 public:
  JobHost() { SetConsoleCtrlHandler(on_console_event, TRUE); }

  std::string find_program(const std::string& name, const std::string& path) override {
    const bool whole = name.find_first_of("/\\:") != name.npos;
    if (!whole && path.empty()) return {};
    const std::wstring folders = wide(path);
    wchar_t found[4096];
    const DWORD units = SearchPathW(whole ? nullptr : folders.c_str(), wide(name).c_str(), L".exe",
                                    4096, found, nullptr);
    return units == 0 || units >= 4096 ? std::string() : narrow({found, units});
  }

  std::string system_root() override {
    wchar_t path[MAX_PATH];
    const UINT units = GetWindowsDirectoryW(path, MAX_PATH);
    return narrow({path, units < MAX_PATH ? units : 0});
  }

  Status make_job(const JobSettings& settings) override {
    job_ = Handle(CreateJobObjectW(nullptr, nullptr));
    port_ = Handle(CreateIoCompletionPort(INVALID_HANDLE_VALUE, nullptr, 0, 1));
    if (!job_ || !port_) return failed("CreateJobObject");
    JOBOBJECT_ASSOCIATE_COMPLETION_PORT port{job_.get(), port_.get()};
    if (SetInformationJobObject(job_.get(), JobObjectAssociateCompletionPortInformation, &port,
                                sizeof port) == 0)
      return failed("the job's completion port");
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    limits.BasicLimitInformation.LimitFlags = settings.flags;
    limits.BasicLimitInformation.ActiveProcessLimit = settings.active_processes;
    limits.BasicLimitInformation.PerJobUserTimeLimit.QuadPart = settings.job_time_100ns;
    limits.JobMemoryLimit = static_cast<SIZE_T>(settings.job_memory_bytes);
    if (SetInformationJobObject(job_.get(), JobObjectExtendedLimitInformation, &limits,
                                sizeof limits) == 0)
      return failed("the job's limits");
    JOBOBJECT_BASIC_UI_RESTRICTIONS ui{settings.ui};
    if (SetInformationJobObject(job_.get(), JobObjectBasicUIRestrictions, &ui, sizeof ui) == 0)
      return failed("the job's restrictions of the desktop");
    return {};
  }

  Result<JobSettings> read_job() override {
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    if (QueryInformationJobObject(job_.get(), JobObjectExtendedLimitInformation, &limits,
                                  sizeof limits, nullptr) == 0)
      return failed("reading the job's limits");
    JOBOBJECT_BASIC_UI_RESTRICTIONS ui{};
    // Older hosts set these and cannot read them back.
    (void)QueryInformationJobObject(job_.get(), JobObjectBasicUIRestrictions, &ui, sizeof ui,
                                    nullptr);
    JobSettings out;
    out.flags = limits.BasicLimitInformation.LimitFlags;
    out.active_processes = limits.BasicLimitInformation.ActiveProcessLimit;
    out.job_time_100ns = limits.BasicLimitInformation.PerJobUserTimeLimit.QuadPart;
    out.job_memory_bytes = limits.JobMemoryLimit;
    out.ui = ui.UIRestrictionsClass;
    return out;
  }

  Result<uint32_t> start(const JobProcess& process) override {
    ASSIGN_OR_RETURN(PipeEnds out, make_output_pipe());
    ASSIGN_OR_RETURN(PipeEnds err, make_output_pipe());
    SECURITY_ATTRIBUTES inherited{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
    const Handle in(CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE,
                                &inherited, OPEN_EXISTING, 0, nullptr));
    if (!in) return failed("opening NUL");
    StartAttributes attributes;
    TRY(attributes.fill({in.get(), out.write.get(), err.write.get()}, job_.get()));
    STARTUPINFOEXW startup{};
    startup.StartupInfo.cb = sizeof startup;
    startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
    startup.StartupInfo.hStdInput = in.get();
    startup.StartupInfo.hStdOutput = out.write.get();
    startup.StartupInfo.hStdError = err.write.get();
    startup.lpAttributeList = attributes.list();
    std::wstring line = wide(process.command_line);
    std::wstring environment = wide(process.environment);
    const std::wstring workdir = wide(process.workdir);
    PROCESS_INFORMATION started{};
    if (CreateProcessW(wide(process.program).c_str(), line.data(), nullptr, nullptr, TRUE,
                       CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | CREATE_NO_WINDOW |
                           EXTENDED_STARTUPINFO_PRESENT,
                       environment.data(), workdir.c_str(), &startup.StartupInfo, &started) == 0)
      return failed("CreateProcess");
    process_ = Handle(started.hProcess);
    thread_ = Handle(started.hThread);
    out_ = std::move(out.read);
    err_ = std::move(err.read);
    BOOL inside = FALSE;
    if (IsProcessInJob(process_.get(), job_.get(), &inside) == 0 || inside == 0) {
      TerminateProcess(process_.get(), kEndedByLauncher);
      return Error{Code::kInternal, "SANDBOX_SETUP_FAILED", "the process is not in its job"};
    }
    return uint32_t{started.dwProcessId};
  }

  Status resume() override {
    if (ResumeThread(thread_.get()) == static_cast<DWORD>(-1)) return failed("ResumeThread");
    return {};
  }

  bool wait(Millis at_most) override {
    return WaitForSingleObject(process_.get(), static_cast<DWORD>(at_most.count())) ==
           WAIT_OBJECT_0;
  }

  std::string read_stdout() override { return read_now(out_.get()); }
  std::string read_stderr() override { return read_now(err_.get()); }

  JobEvents events() override {
    DWORD message = 0;
    ULONG_PTR key = 0;
    OVERLAPPED* about = nullptr;
    while (GetQueuedCompletionStatus(port_.get(), &message, &key, &about, 0) != 0) {
      events_.memory_limit |= message == JOB_OBJECT_MSG_JOB_MEMORY_LIMIT ||
                              message == JOB_OBJECT_MSG_PROCESS_MEMORY_LIMIT;
      events_.active_process_limit |= message == JOB_OBJECT_MSG_ACTIVE_PROCESS_LIMIT;
      events_.time_limit |= message == JOB_OBJECT_MSG_END_OF_JOB_TIME ||
                            message == JOB_OBJECT_MSG_END_OF_PROCESS_TIME;
    }
    return events_;
  }

  JobUse use() override {
    JobUse out;
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION times{};
    if (QueryInformationJobObject(job_.get(), JobObjectBasicAccountingInformation, &times,
                                  sizeof times, nullptr) != 0) {
      out.cpu = Millis((times.TotalUserTime.QuadPart + times.TotalKernelTime.QuadPart) / 10'000);
      out.active_processes = times.ActiveProcesses;
    }
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
    if (QueryInformationJobObject(job_.get(), JobObjectExtendedLimitInformation, &limits,
                                  sizeof limits, nullptr) != 0 &&
        limits.PeakJobMemoryUsed != 0)
      out.peak_memory_bytes = static_cast<int64_t>(limits.PeakJobMemoryUsed);
    return out;
  }

  void end_job() override { TerminateJobObject(job_.get(), kEndedByLauncher); }

  uint32_t exit_code() override {
    DWORD code = kEndedByLauncher;
    GetExitCodeProcess(process_.get(), &code);
    return code;
  }

  bool cancel_asked() override { return canceled; }

 private:
  Handle job_;
  Handle port_;
  Handle process_;
  Handle thread_;
  Handle out_;
  Handle err_;
  JobEvents events_;
};

}  // namespace

std::unique_ptr<Win32> make_win32() { return std::make_unique<JobHost>(); }

}  // namespace paddock::sandbox
