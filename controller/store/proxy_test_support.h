// Stands between a store and its database, on a Unix socket, and fails where a test says.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/text.h"
#include "common/os/fd.h"

namespace paddock::store {

class Proxy {
 public:
  enum class Cut { kBefore, kAfter };  // the server got what was sent then, or it did not

  Proxy(std::string folder, const std::string& server_folder)
      : folder_(std::move(folder)), upstream_(server_folder + kSocket) {
    listener_ = os::Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_un address = address_of(folder_ + kSocket);
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
              0);
    EXPECT_EQ(::listen(listener_.get(), 64), 0);
    accepting_ = std::thread([this] { accept_all(); });
  }
  ~Proxy() {
    stopping_ = true;
    ::shutdown(listener_.get(), SHUT_RDWR);
    accepting_.join();
    for (std::thread& each : pumps_) each.join();
  }
  Proxy(const Proxy&) = delete;
  Proxy& operator=(const Proxy&) = delete;

  std::string url(const std::string& database) const {
    return cat("postgresql:///", database, "?user=paddock&host=", folder_);
  }
  // The connection that sends the n-th piece from now on is cut there, with no more to follow.
  void cut_at(int piece, Cut how) {
    how_ = how;
    left_ = piece;
  }
  bool has_cut() const { return left_ == 0; }
  void let_all_through() { left_ = -1; }
  // How often a client spoke after it had been answered, of all connections: its round trips.
  int round_trips() const { return round_trips_; }
  // While it holds, nothing goes through in any direction.
  void hold(bool on) { held_ = on; }

 private:
  static constexpr const char* kSocket = "/.s.PGSQL.5432";

  static sockaddr_un address_of(const std::string& path) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    return address;
  }

  void accept_all() {
    while (!stopping_) {
      os::Fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!client.valid()) continue;
      os::Fd server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
      const sockaddr_un address = address_of(upstream_);
      if (::connect(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        continue;
      pumps_.emplace_back(
          [this, client = std::move(client), server = std::move(server)] { pump(client, server); });
    }
  }

  // Ends when one side does, or at the cut.
  void pump(const os::Fd& client, const os::Fd& server) {
    std::array<pollfd, 2> both{pollfd{client.get(), POLLIN, 0}, pollfd{server.get(), POLLIN, 0}};
    bool answered = true;
    while (!stopping_) {
      if (::poll(both.data(), both.size(), 10) <= 0 || held_) continue;
      if (both[0].revents != 0 && std::exchange(answered, false)) ++round_trips_;
      if (both[0].revents != 0 && !carry(client, server, true)) return;
      if (both[1].revents != 0) answered = true;
      if (both[1].revents != 0 && !carry(server, client, false)) return;
    }
  }

  bool carry(const os::Fd& from, const os::Fd& to, bool counted) {
    const ssize_t got = ::read(from.get(), buffer().data(), buffer().size());
    if (got <= 0) return false;
    const bool cut = counted && left_ > 0 && --left_ == 0;
    if (cut && how_ == Cut::kBefore) return false;
    if (::send(to.get(), buffer().data(), static_cast<size_t>(got), MSG_NOSIGNAL) != got)
      return false;
    if (!cut) return true;
    // The server does what it was told, and its answer goes nowhere.
    pollfd answer{to.get(), POLLIN, 0};
    ::poll(&answer, 1, 300'000);
    return false;
  }

  static std::vector<char>& buffer() {
    thread_local std::vector<char> own(1 << 20);
    return own;
  }

  const std::string folder_;
  const std::string upstream_;
  os::Fd listener_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> held_{false};
  std::atomic<int> round_trips_{0};
  std::atomic<int> left_{-1};
  std::atomic<Cut> how_{Cut::kBefore};
  std::thread accepting_;
  std::vector<std::thread> pumps_;
};

}  // namespace paddock::store
