#include "bench/control/run_watch.h"

#include <sys/socket.h>

#include "bench/control/give_up.h"
#include "bench/control/stack.h"
#include "common/base/text.h"
#include "common/wire/json.h"

namespace paddock::bench {
namespace {

constexpr std::chrono::seconds kPatience{300};

// What a line of a watch says of a run's end, if it does.
std::string_view end_in(std::string_view line) {
  for (const std::string_view phase : {"Succeeded", "Failed", "Canceled"})
    if (line.find(cat("\"phase\":\"", phase, "\"")) != std::string_view::npos) return phase;
  return {};
}

}  // namespace

RunWatch::RunWatch(const Address& address) : wire_(address) {
  wire_.send(request_text("GET", kRuns + "?watch=true", address.token));
  std::string head;
  while (head.find("\r\n\r\n") == std::string::npos) {
    head += wire_.read_some();
    require(!wire_.closed(), "the watch ended");
  }
  reader_ = std::thread([this] { read(); });
}

RunWatch::~RunWatch() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ::shutdown(wire_.fd(), SHUT_RDWR);
  reader_.join();
}

// Lines are JSON objects; between them are the sizes of chunks.
void RunWatch::read() {
  std::string text;
  while (!wire_.closed()) {
    text += wire_.read_some();
    size_t begin = 0;
    for (size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
      take(std::string_view(text).substr(begin, end - begin));
    text.erase(0, begin);
  }
  const std::lock_guard lock(mutex_);
  require(over_, "the watch of the runs ended");
}

void RunWatch::take(std::string_view line) {
  const std::string_view phase = end_in(line);
  if (phase.empty()) return;
  const auto seen = std::chrono::system_clock::now();
  const auto event = wire::parse_json(line);
  if (!event.ok() || event->text("object.status.phase") != phase) return;
  const std::lock_guard lock(mutex_);
  ended_.try_emplace(event->text("object.metadata.name"), End{seen, std::string(phase)});
  changed_.notify_all();
}

RunWatch::End RunWatch::wait_for(const std::string& name) {
  std::unique_lock lock(mutex_);
  const bool came =
      changed_.wait_for(lock, kPatience, [&] { return over_ || ended_.contains(name); });
  require(came, cat("run ", name, " does not end"));
  return ended_[name];
}

}  // namespace paddock::bench
