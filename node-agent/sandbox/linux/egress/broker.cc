#include "node-agent/sandbox/linux/egress/broker.h"

#include <sys/socket.h>

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/denial_rule.h"

namespace paddock::sandbox {
namespace {

constexpr int kAcceptsAtOnce = 32;
constexpr int kTickMs = 250;  // how late a deadline may be noticed

// How many bytes the kernel may hold per connection and direction when so many are open: much for
// a few, little for a crowd.
int window_for(size_t connections) {
  constexpr size_t kBudget = size_t{16} << 20;
  return static_cast<int>(
      std::clamp<size_t>(kBudget / (connections + 1), size_t{32} << 10, size_t{1} << 20));
}

bool leads_to_gateway(const BrokerRules& rules, const Endpoint& meant) {
  return rules.gateway && std::ranges::any_of(rules.gateway->inside, [&](const Endpoint& place) {
           return place.address == meant.address && place.port == meant.port;
         });
}

}  // namespace

Broker::Broker(EventLoop& loop, BrokerRules rules, BrokerSockets sockets, const Clock& clock,
               Random& random)
    : loop_(loop),
      clock_(clock),
      rules_(std::move(rules)),
      listeners_(std::move(sockets.listeners)),
      responder_(rules_.domains, names_, records_),
      resolver_({loop, clock, random, rules_.resolvers}, rules_.ranges, rules_.hosts),
      dns_({loop, responder_, resolver_, clock}, std::move(sockets.dns_udp),
           std::move(sockets.dns_tcp)) {
  for (const os::Fd& listener : listeners_) {
    tokens_.push_back(
        loop_.add(listener.get(), EPOLLIN, [this, fd = listener.get()] { accept_from(fd); }));
  }
}

Broker::~Broker() {
  for (const EventLoop::Token token : tokens_) loop_.remove(token);
}

void Broker::accept_from(int listener) {
  for (int i = 0; i < kAcceptsAtOnce; ++i) {
    os::Fd client(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!client.valid()) return;
    admit(std::move(client));
  }
}

void Broker::admit(os::Fd client) {
  sockaddr_storage local{};
  socklen_t size = sizeof local;
  const auto meant = getsockname(client.get(), reinterpret_cast<sockaddr*>(&local), &size) == 0
                         ? from_socket_name(local)
                         : std::nullopt;
  if (!meant) return reset_connection(client);
  if (leads_to_gateway(rules_, *meant)) return admit_call(std::move(client));
  const auto name = names_.name_at(meant->address);
  const std::string target =
      name ? cat(*name, ":", meant->port) : to_text(meant->address, meant->port);
  if (!name || !contracts::allows(rules_.domains, *name, meant->port)) {
    records_.refused_connection(target,
                                std::string(contracts::rule_name(contracts::DenialRule::kDomains)),
                                name ? cat("add ", target, " to network.allowDomains")
                                     : "connect to a name that network.allowDomains lists");
    return reset_connection(client);
  }
  if (connections_.size() >= kMostConnections)
    return refuse_crowd(std::move(client), target, kMostConnections);
  connect(std::move(client), *name, meant->port)->start();
}

void Broker::admit_call(os::Fd client) {
  const Gateway& gateway = *rules_.gateway;
  if (calls_.size() >= kMostCalls)
    return refuse_crowd(std::move(client), cat(gateway.host, ":", gateway.port), kMostCalls);
  const auto call = connect(std::move(client), gateway.host, gateway.port);
  calls_.push_back(call);
  call->lead_to(gateway.addresses, gateway.header);
}

void Broker::refuse_crowd(os::Fd client, const std::string& target, size_t most) {
  records_.refused_connection(target, cat("at most ", most, " connections at once"),
                              "keep fewer connections open");
  reset_connection(client);
}

std::shared_ptr<Connection> Broker::connect(os::Fd client, const std::string& name, uint16_t port) {
  connections_.push_back(
      std::make_shared<Connection>(ConnectionTools{loop_, resolver_, records_, clock_},
                                   std::move(client), name, port, window_for(connections_.size())));
  return connections_.back();
}

void Broker::step() {
  const bool timed = resolver_.busy() || dns_.busy() || !connections_.empty();
  loop_.step(timed ? kTickMs : -1);
  resolver_.step();
  for (size_t i = 0; i < connections_.size(); ++i) connections_[i]->expire();
  std::erase_if(connections_, [](const auto& connection) { return connection->finished(); });
  std::erase_if(calls_, [](const auto& call) { return call.expired(); });
  dns_.sweep();
}

BrokerReport Broker::report() {
  resolver_.give_up();
  connections_.clear();
  BrokerReport report = records_.take();
  report.names = names_.by_address();
  return report;
}

}  // namespace paddock::sandbox
