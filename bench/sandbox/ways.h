// The ways to run one command that are compared: bare, our launcher, other sandboxes.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/contracts/launch.h"

namespace paddock::bench {

struct Way {
  std::string name;
  // Runs the command to its end, none of its processes alive; its standard output, or nothing if it
  // failed. Each copy of a way belongs to one thread.
  std::function<std::optional<std::string>()> run;
};

// A folder with a workspace, and a serving launcher for it. Ends the program if it cannot be had.
class Bench {
 public:
  explicit Bench(int ready = 4);
  ~Bench();
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  // Visible to the command as /workspace, and to a bare one under this name.
  const std::string& workspace() const { return workspace_; }
  // The profile `test`; /bench holds the payloads.
  contracts::LaunchRequest request(const std::vector<std::string>& command) const;

  Way bare(std::vector<std::string> command) const;
  Way cold(const contracts::LaunchRequest& request);
  Way warm(const contracts::LaunchRequest& request);
  // Nothing, and a line that says so, if it is not installed or does not run here.
  std::optional<Way> bubblewrap(const std::vector<std::string>& command) const;
  std::optional<Way> runc(const std::vector<std::string>& command);

  struct Started {
    pid_t launcher = -1;
    int connection = -1;  // readable when it has ended; the caller's
    int events = -1;      // the read end; the caller's
  };
  Started start_warm(const contracts::LaunchRequest& request);

 private:
  std::string write_request(const contracts::LaunchRequest& request);

  std::string folder_;
  std::string workspace_;
  std::string socket_;
  pid_t server_ = -1;
  int requests_ = 0;
  int containers_ = 0;
};

// The folder of the built programs, and that of the payloads.
std::string programs();
std::string payloads();

// All stdout frames until the result frame; nothing if there is none or its status is not OK.
std::optional<std::string> read_result(int events, std::string* status = nullptr);

}  // namespace paddock::bench
