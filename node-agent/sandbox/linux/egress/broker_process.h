// The launcher's side of a run's network broker: a process of its own, this same program started
// anew, so that nothing of the launcher's memory is in it. It ends with its BrokerProcess, and when
// the thread that started it ends.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>

#include "common/os/fd.h"
#include "node-agent/sandbox/egress/messages.h"

namespace paddock::sandbox {

class BrokerProcess {
 public:
  // Returns once the broker has given up its privileges and waits for the sandbox's sockets.
  // `network`: the namespace that it connects from; -1: the launcher's. FailedPrecondition
  // NETWORK_UNAVAILABLE.
  static Result<std::unique_ptr<BrokerProcess>> start(const BrokerConfig& config, int network);
  ~BrokerProcess();
  BrokerProcess(const BrokerProcess&) = delete;
  BrokerProcess& operator=(const BrokerProcess&) = delete;

  // The socket over which the sandbox's init process sends its listening sockets. It is closed here
  // once init has it.
  int sandbox_end() const { return sandbox_end_.get(); }
  void close_sandbox_end() { sandbox_end_.reset(); }
  // Ends the broker. Nothing if it was gone already.
  std::optional<BrokerReport> finish();

 private:
  BrokerProcess(pid_t pid, os::Fd talk, os::Fd sandbox_end)
      : pid_(pid), talk_(std::move(talk)), sandbox_end_(std::move(sandbox_end)) {}
  Status wait_until_ready();
  void end();

  pid_t pid_;
  os::Fd talk_;
  os::Fd sandbox_end_;
};

// Called in the sandbox's init process, which still has its capabilities: brings up the loopback
// device, makes the sockets and hands them over. Returns once the broker has taken them.
Status connect_broker(const BrokerConfig& config, int broker);

}  // namespace paddock::sandbox
