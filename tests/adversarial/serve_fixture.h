// Tests with a serving launcher of their own: every run of theirs is ordered from it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "node-agent/launch/order.h"
#include "tests/adversarial/sandbox_run.h"

namespace paddock::adversarial {

// What `order` returns, which is given anew where this process had no processor between connecting
// and saying what it wants: who serves waits seconds for that, and nothing of it runs.
template <class Order>
auto ordered(const Order& order) {
  constexpr int kMostTries = 20;
  auto out = order();
  for (int i = 1; i < kMostTries && !out.ok() && out.error().reason == "NO_ORDER"; ++i)
    out = order();
  return out;
}

// Of whoever serves at this socket. Asked anew where that one had nothing to answer, as above.
std::string answer_to(const std::string& socket, std::string_view bytes, std::span<const int> fds);

class ServeTest : public SandboxTest {
 protected:
  static constexpr int kReady = 3;

  void SetUp() override;
  // The server ends at a SIGTERM, and nothing of it is left.
  void TearDown() override;
  Launched start(const contracts::LaunchRequest& request) override;

  pid_t server() const { return server_; }
  std::string socket() const { return folder() + "/io/socket"; }
  std::string server_lock() const { return folder() + "/io/server.lock"; }
  void start_server();
  // By a process of its own, whose pid this returns.
  pid_t start_server_by_another();
  // That process ends at once, and nobody here waits for the server any more.
  void kill_starter(pid_t starter);
  // Options of the server's command line, besides those that every server has.
  virtual std::vector<std::string> further_options() const { return {}; }
  // How many processes the server and the launchers that wait are. Where launchers make views, each
  // has a prepared sandbox of two processes.
  size_t processes_when_ready() const;
  // Returns its exit code, or 128 and the signal.
  int end_server(int signal);
  // Blocks until as many processes wait for an order as shall.
  void wait_until_ready() const;
  Result<launch::Launched> order_of(const launch::OrderFiles& files) const;
  // The files of one order; `lock` only if it has a name.
  Result<launch::Launched> order(const std::string& request, const std::string& events,
                                 const std::string& lock = {}) const;

 private:
  size_t ready_processes() const;
  pid_t spawn_server() const;

  pid_t server_ = -1;
};

// Major and minor; zeros of one that is not named so.
std::pair<int, int> kernel_version();
// Processes that run this program.
std::vector<pid_t> processes_of(const std::string& program);
std::vector<pid_t> children_of(pid_t parent);
std::vector<pid_t> children_of(const std::vector<pid_t>& parents);
// Blocks until nothing is left of them but zombies.
void wait_until_gone(const std::vector<pid_t>& pids);

}  // namespace paddock::adversarial
