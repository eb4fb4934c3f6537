#include "bench/control/submit.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "bench/control/give_up.h"
#include "bench/control/stack.h"
#include "bench/sandbox/figures.h"
#include "common/base/text.h"

namespace paddock::bench {
namespace {

// What one client sends next: names, and the bytes; nothing when it has done its part.
struct Next {
  std::vector<std::string> names;
  std::string bytes;
  int wanted = 200;
};
using Source = std::function<std::optional<Next>()>;

void client(Wire& wire, const Source& source, Submitted& out) {
  while (std::optional<Next> next = source()) {
    const Stopwatch watch;
    wire.send(next->bytes);
    const Reply reply = wire.receive();
    out.ms.push_back(watch.ms());
    require(reply.status == next->wanted, cat("the answer is ", reply.status, ": ", reply.body));
    std::ranges::move(next->names, std::back_inserter(out.names));
  }
}

Submitted run_clients(const Address& address, int clients, const Source& source) {
  std::vector<Wire> wires;
  for (int i = 0; i < clients; ++i) wires.emplace_back(address);
  std::vector<Submitted> parts(wires.size());
  std::vector<std::thread> threads;
  const Stopwatch watch;
  for (size_t i = 0; i < wires.size(); ++i)
    threads.emplace_back([&, i] { client(wires[i], source, parts[i]); });
  for (std::thread& each : threads) each.join();
  Submitted all;
  all.all_ms = watch.ms();
  for (Submitted& part : parts) {
    all.ms.insert(all.ms.end(), part.ms.begin(), part.ms.end());
    std::move(part.names.begin(), part.names.end(), std::back_inserter(all.names));
  }
  return all;
}

Next create_of(const Address& address, std::string name, const Work& work) {
  std::string bytes = request_text("POST", kRuns, address.token, run_document(name, work));
  return {{std::move(name)}, std::move(bytes), 201};
}

Next list_of(const Address& address, const std::string& prefix, int first, int count,
             const Work& work) {
  Next next{{}, {}, 201};
  std::string items;
  for (int i = 0; i < count; ++i) {
    next.names.push_back(cat(prefix, first + i));
    items += cat(i == 0 ? "" : ",", run_document(next.names.back(), work));
  }
  // The answer tells names and versions; the objects are as they were sent.
  next.bytes = request_text(
      "POST", kRuns, address.token,
      cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"RunList","items":[)", items, "]}"),
      "accept: application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1\r\n");
  return next;
}

}  // namespace

Submitted submit(const Address& address, int clients, int count, const std::string& prefix,
                 const Work& work) {
  std::atomic<int> given{0};
  return run_clients(address, clients, [&]() -> std::optional<Next> {
    const int number = given++;
    if (number >= count) return std::nullopt;
    return create_of(address, cat(prefix, number), work);
  });
}

Submitted submit_for(const Address& address, int clients, double seconds, const std::string& prefix,
                     const Work& work) {
  std::atomic<int> given{0};
  const Stopwatch watch;
  return run_clients(address, clients, [&]() -> std::optional<Next> {
    if (watch.ms() >= seconds * 1000) return std::nullopt;
    return create_of(address, cat(prefix, given++), work);
  });
}

Submitted submit_lists_for(const Address& address, int clients, double seconds,
                           const std::string& prefix, const Work& work, int batch) {
  std::atomic<int> given{0};
  const Stopwatch watch;
  return run_clients(address, clients, [&]() -> std::optional<Next> {
    if (watch.ms() >= seconds * 1000) return std::nullopt;
    const int first = given.fetch_add(batch);
    return list_of(address, prefix, first, batch, work);
  });
}

Submitted get_for(const Address& address, int clients, double seconds, const std::string& path) {
  const std::string bytes = request_text("GET", path, address.token);
  const Stopwatch watch;
  return run_clients(address, clients, [&]() -> std::optional<Next> {
    if (watch.ms() >= seconds * 1000) return std::nullopt;
    return Next{{}, bytes, 200};
  });
}

}  // namespace paddock::bench
