// What a sandbox with a network might reach on this host: a name server and TCP servers, on an
// address of the loopback device of their own. One thread; stopped by the destructor.
#pragma once

#include <netinet/in.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "common/os/fd.h"

namespace paddock::adversarial {

class FakeInternet {
 public:
  FakeInternet();
  ~FakeInternet();
  FakeInternet(const FakeInternet&) = delete;
  FakeInternet& operator=(const FakeInternet&) = delete;

  const std::string& address() const { return address_; }
  const std::string& other_address() const { return other_address_; }
  std::string name_server() const;
  // The addresses that the name leads to, question after question; the last one stays. Names that
  // are not set do not exist; SERVFAIL in place of an address is that answer, SILENCE
  // none.
  void set_name(const std::string& name, std::vector<std::string> answers);
  // Answers each connection's first bytes with `reply`, and ends it unless `stays`. The port that
  // is listened on; 0 if it cannot be had.
  int serve(const std::string& address, int port, const std::string& reply, bool stays = false);
  // Connections so far to what was served at this address.
  int connections(const std::string& address) const;
  int questions(const std::string& name) const;

 private:
  struct Server {
    os::Fd fd;
    std::string address;
    std::string reply;
    bool stays = false;
  };
  struct Guest {
    os::Fd fd;
    std::string reply;
    bool stays = false;
  };
  struct Question {
    std::string message;
    sockaddr_in from;
  };
  void run();
  void answer_names();
  void answer(const Question& question);
  void accept_guest(const Server& server);
  bool serve_guest(const Guest& guest);

  std::string address_;
  std::string other_address_;
  os::Fd names_fd_;
  int names_port_ = 0;
  os::Pipe wake_;
  mutable std::mutex mutex_;
  std::vector<Server> servers_;
  std::vector<Guest> guests_;
  std::map<std::string, std::vector<std::string>> names_;
  std::map<std::string, int> questions_;
  std::map<std::string, int> connections_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace paddock::adversarial
