// The broker's life: read what it is to do, give up everything, serve, report.
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstring>

#include "common/base/random.h"
#include "common/wire/json.h"
#include "node-agent/sandbox/backend/broker_mode.h"
#include "node-agent/sandbox/linux/egress/broker.h"
#include "node-agent/sandbox/linux/egress/broker_sockets.h"
#include "node-agent/sandbox/linux/kernel/raw.h"
#include "node-agent/sandbox/linux/seccomp/broker_filter.h"

namespace paddock::sandbox {
namespace {

constexpr size_t kMostConfig = size_t{1} << 20;

Result<BrokerConfig> read_config(const os::Fd& settings) {
  ASSIGN_OR_RETURN(const std::string text, os::read_all(settings.get(), kMostConfig));
  ASSIGN_OR_RETURN(const wire::Value value, wire::parse_json(text));
  return wire::decode<BrokerConfig>(value);
}

Status limit(__rlimit_resource resource, rlim_t most) {
  rlimit now{};
  if (getrlimit(resource, &now) != 0) return step_error("reading the broker's limits", errno);
  const rlim_t value = std::min(most, now.rlim_max);
  const rlimit wanted{value, value};
  if (setrlimit(resource, &wanted) != 0) return step_error("setting the broker's limits", errno);
  return {};
}

Status set_limits() {
  constexpr rlim_t kDescriptors = 2 * Broker::kMostConnections + 128;
  TRY(limit(RLIMIT_NOFILE, kDescriptors));
  TRY(limit(RLIMIT_DATA, rlim_t{128} << 20));
  TRY(limit(RLIMIT_CORE, 0));
  return limit(RLIMIT_FSIZE, 0);
}

// Nothing of root is left, and nothing that was can come back.
Status become(const std::optional<int64_t>& uid) {
  if (uid) {
    const auto id = static_cast<uid_t>(*uid);
    if (setgroups(0, nullptr) != 0 || setresgid(id, id, id) != 0 || setresuid(id, id, id) != 0)
      return step_error("becoming the broker's user", errno);
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return step_error("no_new_privs", errno);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  if (syscall(SYS_capset, &header, none) != 0) return step_error("dropping capabilities", errno);
  if (prctl(PR_SET_DUMPABLE, 0) != 0) return step_error("becoming undumpable", errno);
  return {};
}

// After the change of user, which clears it.
Status broker_dies_with_launcher(int talk) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return step_error("setting the death signal", errno);
  char byte = 0;
  if (recv(talk, &byte, 1, MSG_DONTWAIT) == 0) return step_error("telling the launcher", EPIPE);
  return {};
}

struct Prepared {
  BrokerRules rules;
  size_t listeners = 0;
};

Status enter_network(os::Fd network) {
  if (!network.valid()) return {};
  if (setns(network.get(), CLONE_NEWNET) != 0)
    return step_error("entering the host's network", errno);
  return {};
}

Result<Prepared> prepare(const BrokerFds& fds) {
  ASSIGN_OR_RETURN(const BrokerConfig config, read_config(os::Fd(fds.settings)));
  Prepared out;
  ASSIGN_OR_RETURN(out.rules, read_rules(config));
  out.listeners = contracts::ports_of(out.rules.domains).size();
  TRY(enter_network(os::Fd(fds.network)));
  TRY(set_limits());
  TRY(become(config.uid));
  TRY(broker_dies_with_launcher(fds.talk));
  return out;
}

void serve(EventLoop& loop, BrokerRules rules, BrokerSockets sockets, const os::Fd& talk,
           const Clock& clock) {
  SystemRandom random;
  Broker broker(loop, std::move(rules), std::move(sockets), clock, random);
  bool ending = false;
  const EventLoop::Token token = loop.add(talk.get(), EPOLLIN | EPOLLRDHUP, [&] { ending = true; });
  while (!ending) broker.step();
  loop.remove(token);
  (void)os::write_all(talk.get(), wire::encode_json(broker.report()));
}

}  // namespace

int run_broker(const BrokerFds& fds, const Clock& clock) {
  const os::Fd talk(fds.talk);
  os::Fd sandbox(fds.sandbox);
  const auto fail = [&](const Error& error) {
    (void)os::write_all(talk.get(), error.message);
    return 1;
  };
  auto prepared = prepare(fds);
  if (!prepared.ok()) return fail(prepared.error());
  auto loop = EventLoop::make();
  if (!loop.ok()) return fail(loop.error());
  if (const Status kept = keep_to_sockets(); !kept.ok()) return fail(kept.error());
  if (!os::write_all(talk.get(), "R").ok()) return 1;
  auto sockets = take_sockets(sandbox.get(), prepared->listeners);
  if (!sockets) return 1;  // the sandbox never came to be
  sandbox.reset();
  serve(*loop, std::move(prepared->rules), std::move(*sockets), talk, clock);
  return 0;
}

}  // namespace paddock::sandbox
