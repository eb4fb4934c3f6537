// Real processes to measure: a controller alone, or a whole instance as `paddock up` makes it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "bench/control/process.h"
#include "bench/control/wire.h"

namespace paddock::bench {

// A controller with default settings but for those given, in a folder of its own or in `data`.
// Listens on a unix socket and with TLS on loopback. `settings`: PADDOCK_CONTROLLER_… without that.
class Controller {
 public:
  explicit Controller(std::map<std::string, std::string> settings = {}, std::string data = {});

  Address by_socket() const;
  Address by_tls() const;
  pid_t pid() const { return process_->pid(); }
  const std::string& data() const { return data_; }
  std::string store() const { return data_ + "/paddock.db"; }
  // From the start of the process to the first good answer of /readyz.
  double start_ms() const { return start_ms_; }
  void stop(int signal);
  void start();

 private:
  std::map<std::string, std::string> settings_;
  std::optional<Folder> folder_;
  std::string data_;
  std::optional<Process> process_;
  double start_ms_ = 0;
};

// Controller and agent, each with its defaults.
class Instance {
 public:
  Instance();
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  Address by_socket() const;
  Address by_tls() const;
  pid_t controller() const { return controller_; }
  pid_t agent() const { return agent_; }
  std::string data() const { return folder_.path() + "/instances/bench/controller"; }
  void stop();

 private:
  Folder folder_;
  pid_t controller_ = -1;
  pid_t agent_ = -1;
};

inline const std::string kRuns = "/apis/paddock.dev/v1alpha1/namespaces/default/runs";

// What a run does. Only type `agent` takes any program.
struct Work {
  std::string type;
  std::string command;  // a JSON list
};
inline const Work kTrue{"agent", R"(["/bin/true"])"};
inline const Work kTellTime{"agent", R"(["/bin/date","+%s%N"])"};
inline const Work kScript{"compute", R"(["bash","true.sh"])"};  // of the workspace below

// Every run names a workspace: one with a script that does nothing.
void make_workspace(const Address& address);
std::string run_document(const std::string& name, const Work& work);

}  // namespace paddock::bench
