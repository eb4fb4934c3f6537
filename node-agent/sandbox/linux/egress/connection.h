// One connection of the sandbox: who is meant is known from the address that it was made to, and
// checked in its first bytes (TLS on 443, HTTP on 80); then the name is resolved, a server is
// connected to and bytes go both ways. Anything else is a record and a reset; but a request over
// HTTP that the policy allows and the node cannot carry out is answered: 502, and why. Not
// thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "node-agent/sandbox/egress/first_bytes.h"
#include "node-agent/sandbox/egress/records.h"
#include "node-agent/sandbox/linux/egress/relay.h"
#include "node-agent/sandbox/linux/egress/resolver.h"

namespace paddock::sandbox {

struct ConnectionTools {
  EventLoop& loop;
  Resolver& resolver;
  Records& records;
  const Clock& clock;
};

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  static constexpr Millis kGreetingTime{30'000};
  static constexpr Millis kConnectTime{10'000};  // per address
  static constexpr Millis kFarewellTime{5'000};  // for an answer of ours to be read

  // `window`: bytes that the kernel may hold on the server's side.
  Connection(const ConnectionTools& tools, os::Fd client, std::string name, uint16_t port,
             int window);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start();  // once, from the owner's shared pointer
  // Instead of start(), where it is known already to whom the connection leads. `first` is sent
  // there before anything else.
  void lead_to(std::vector<IpAddress> addresses, std::string first);
  void expire();  // to be called now and then
  bool finished() const { return finished_ || (relay_ && relay_->finished()); }

 private:
  void read_greeting();
  void judge(const FirstBytes& read);
  void resolve();
  void connect_to(const Resolved& resolved);
  void try_next_address();
  void note_failure(int error);
  void server_ready();
  void carry();
  void refuse(const std::string& target, std::string rule, std::string remedy);
  void fail(const Problem& problem);
  void answer(const std::string& problem);
  void await_farewell();
  void close();

  ConnectionTools tools_;
  os::Fd client_;
  os::Fd server_;
  std::string name_;
  uint16_t port_;
  int window_;
  std::string first_;
  bool http_ = false;  // a request of HTTP to the name that it is meant for
  std::string last_failure_;
  EventLoop::Token token_ = 0;
  std::optional<MonoTime> deadline_;
  std::vector<IpAddress> addresses_;
  size_t next_address_ = 0;
  std::unique_ptr<Relay> relay_;
  bool finished_ = false;
};

}  // namespace paddock::sandbox
