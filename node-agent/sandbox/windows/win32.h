// The calls to Windows that the backend makes for one launch. The real one is win32/job_host.cc;
// tests record the calls and answer as a host would. Not thread-safe.
#pragma once

#include <optional>
#include <string>

#include "common/base/units.h"
#include "node-agent/sandbox/windows/job_settings.h"

namespace paddock::sandbox {

struct JobProcess {
  std::string program;       // full path
  std::string command_line;  // command_line.h
  std::string environment;
  std::string workdir;
};

// The messages of the job's completion port so far.
struct JobEvents {
  bool memory_limit = false;
  bool active_process_limit = false;
  bool time_limit = false;
};

struct JobUse {
  Millis cpu{0};  // user and kernel mode, also of processes that have ended
  int64_t active_processes = 0;
  std::optional<int64_t> peak_memory_bytes;
};

class Win32 {
 public:
  virtual ~Win32() = default;
  // The full path of a program: itself if it has a slash, else from the folders of `path`. Empty if
  // there is none.
  virtual std::string find_program(const std::string& name, const std::string& path) = 0;
  virtual std::string system_root() = 0;
  virtual Status make_job(const JobSettings& settings) = 0;
  virtual Result<JobSettings> read_job() = 0;
  // Suspended, in the job from its first moment, with pipes for its output and no other handle.
  // The process's id.
  virtual Result<uint32_t> start(const JobProcess& process) = 0;
  virtual Status resume() = 0;
  // Returns early when the process ends; false: it has not.
  virtual bool wait(Millis at_most) = 0;
  // Reads what is there now, without waiting.
  virtual std::string read_stdout() = 0;
  virtual std::string read_stderr() = 0;
  virtual JobEvents events() = 0;
  virtual JobUse use() = 0;
  virtual void end_job() = 0;
  virtual uint32_t exit_code() = 0;  // of the process, once it has ended
  virtual bool cancel_asked() = 0;
};

}  // namespace paddock::sandbox
