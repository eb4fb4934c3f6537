#include "bench/control/stack.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "bench/control/give_up.h"
#include "bench/sandbox/figures.h"
#include "bench/sandbox/ways.h"
#include "common/base/text.h"
#include "common/crypto/digest.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::bench {
namespace {

constexpr int kPatienceMs = 300'000;

bool listens(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket.data(),
              std::min(socket.size(), sizeof address.sun_path - 1));
  const os::Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return ::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

int64_t whole_number(const std::string& file, const char* key) {
  const std::string text = value_of(os::read_file(file), "reading what a program says of itself");
  const wire::Value value = value_of(wire::parse_json(text), "reading what a program says");
  const wire::Value* found = value.find(key);
  require(found != nullptr && found->integer() != nullptr, cat("no ", key, " there"));
  return *found->integer();
}

Address tls_address(const std::string& data) {
  Address out;
  out.port = static_cast<int>(whole_number(data + "/controller.json", "port"));
  out.ca_file = data + "/tls/ca.pem";
  out.token = trim(value_of(os::read_file(data + "/tokens/admin"), "the admin's token"));
  return out;
}

Address socket_address(const std::string& data, std::string socket) {
  Address out;
  out.socket = std::move(socket);
  out.token = trim(value_of(os::read_file(data + "/tokens/admin"), "the admin's token"));
  return out;
}

}  // namespace

Controller::Controller(std::map<std::string, std::string> settings, std::string data)
    : settings_(std::move(settings)), data_(std::move(data)) {
  if (data_.empty()) data_ = folder_.emplace().path();
  start();
}

void Controller::start() {
  const std::string socket = data_ + "/socket";
  (void)::unlink((data_ + "/controller.json").c_str());
  (void)::unlink(socket.c_str());
  std::map<std::string, std::string> environment;
  for (const auto& [name, value] : settings_) environment["PADDOCK_CONTROLLER_" + name] = value;
  const Stopwatch watch;
  process_.emplace(std::vector<std::string>{programs() + "/paddock-controller", "--data-dir", data_,
                                            "--port", "0", "--unix-socket", socket},
                   environment, data_ + "/log");
  while (!listens(socket)) {
    require(watch.ms() < kPatienceMs, "the controller does not come up");
    ::poll(nullptr, 0, 1);
  }
  Wire wire(Address{socket, 0, {}, {}});
  while (wire.call("GET", "/readyz").status != 200) {
    require(watch.ms() < kPatienceMs, "the controller is not ready");
    ::poll(nullptr, 0, 1);
  }
  start_ms_ = watch.ms();
  while (!os::exists(data_ + "/controller.json")) {
    require(watch.ms() < kPatienceMs, "the controller does not say where it is");
    ::poll(nullptr, 0, 1);
  }
}

void Controller::stop(int signal) { process_->stop(signal); }
Address Controller::by_socket() const { return socket_address(data_, data_ + "/socket"); }
Address Controller::by_tls() const { return tls_address(data_); }

// A benchmark that gives up must leave nothing behind.
Instance* running = nullptr;
void stop_running() {
  if (running != nullptr) running->stop();
}

Instance::Instance() {
  static const bool registered = std::atexit(&stop_running) == 0;
  require(registered, "atexit");
  running = this;
  const std::map<std::string, std::string> environment = {{"PADDOCK_HOME", folder_.path()},
                                                          {"PADDOCK_INSTANCE", "bench"},
                                                          {"PADDOCK_NODE_AGENT_MAX_RUNS", "16"}};
  const os::Fd quiet(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  require(run_program({programs() + "/paddock", "up", "--port", "0"}, environment, quiet.get()),
          "no instance comes up");
  const std::string pointer = folder_.path() + "/instances/bench/instance.json";
  const std::string text = value_of(os::read_file(pointer), "reading where the instance is");
  const wire::Value value = value_of(wire::parse_json(text), "reading where the instance is");
  for (const auto& [key, pid] : {std::pair{"controller", &controller_}, {"agent", &agent_}}) {
    const wire::Value* process = value.find(key);
    const wire::Value* number = process != nullptr ? process->find("pid") : nullptr;
    require(number != nullptr && number->integer() != nullptr, cat("no pid of ", key));
    *pid = static_cast<pid_t>(*number->integer());
  }
}

Instance::~Instance() { stop(); }

void Instance::stop() {
  running = nullptr;
  const os::Fd quiet(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  (void)run_program({programs() + "/paddock", "down"},
                    {{"PADDOCK_HOME", folder_.path()}, {"PADDOCK_INSTANCE", "bench"}}, quiet.get());
}

Address Instance::by_socket() const {
  return socket_address(data(), folder_.path() + "/instances/bench/run/paddock-controller.sock");
}
Address Instance::by_tls() const { return tls_address(data()); }

void make_workspace(const Address& address) {
  const std::string workspaces = "/apis/paddock.dev/v1alpha1/namespaces/default/workspaces";
  const std::string script = ":\n";
  const std::string digest = crypto::sha256_hex(script);
  const std::string tree = cat(R"({"entries":[{"path":"true.sh","digest":")", digest,
                               R"(","size":)", script.size(), "}]}");
  Wire wire(address);
  const auto done = [&](const std::string& method, const std::string& target,
                        const std::string& body) {
    const Reply reply = wire.call(method, workspaces + target, body);
    require(reply.status / 100 == 2, cat("no workspace can be made: ", reply.body));
  };
  done("POST", "",
       R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Workspace","metadata":{"name":"bench"}})");
  done("POST", "/bench/tree", tree);
  done("PUT", cat("/bench/blobs/", digest), script);
  done("POST", "/bench/tree", tree);
}

std::string run_document(const std::string& name, const Work& work) {
  return cat(R"({"apiVersion":"paddock.dev/v1alpha1","kind":"Run","metadata":{"name":")", name,
             R"("},"spec":{"workspace":"bench","type":")", work.type, R"(","command":)",
             work.command, "}}");
}

}  // namespace paddock::bench
