#include "bench/control/crowd.h"

#include <sys/epoll.h>

#include <array>

#include "bench/control/give_up.h"
#include "bench/sandbox/figures.h"

namespace paddock::bench {

Crowd::Crowd() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) { require(epoll_.valid(), "epoll"); }

size_t Crowd::add(Wire wire, std::string_view request) {
  const size_t number = wires_.size();
  wires_.push_back(std::make_unique<Wire>(std::move(wire)));
  Wire& own = *wires_.back();
  own.send(request);
  own.stop_blocking();
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = number;
  require(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, own.fd(), &event) == 0, "epoll");
  return number;
}

void Crowd::send(size_t number, std::string_view request) { wires_[number]->send(request); }

void Crowd::leave(size_t number) { wires_[number].reset(); }

void Crowd::run(double ms, const Take& take, const std::function<bool()>& over) {
  const Stopwatch watch;
  std::array<epoll_event, 512> events{};
  while (watch.ms() < ms && !over()) {
    const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), 20);
    for (int i = 0; i < count; ++i) {
      const size_t number = events[static_cast<size_t>(i)].data.u64;
      if (wires_[number] == nullptr) continue;
      while (wires_[number] != nullptr) {
        std::string text = wires_[number]->read_some();
        if (text.empty()) break;
        take(number, std::move(text));
      }
      if (wires_[number] == nullptr) continue;
      require(!wires_[number]->closed(), "the controller ended a connection");
    }
  }
}

}  // namespace paddock::bench
