// Which controller a command talks to, and with which credential:
//   --server URL [--token-file F] [--ca-file F]     any controller; several, by commas, that take
//                                                   over from each other
//   --instance NAME [--token-file F]                an instance on this host, else as its operator
//   PADDOCK_SERVER, PADDOCK_TOKEN, PADDOCK_CA_FILE; PADDOCK_INSTANCE; else the instance `default`
#pragma once

#include <optional>
#include <string>

#include "cli/instance/instance.h"
#include "cli/instance/pointer.h"
#include "cli/options/command_row.h"
#include "cli/terminal/env.h"
#include "common/http/http_client.h"

namespace paddock::cli {

struct ConnectionOptions {
  std::string instance;
  std::string server;
  std::string token_file;
  std::string ca_file;
};

ConnectionOptions connection_options(const Parsed& parsed);

struct Target {
  bool remote = false;   // a server by URL, not an instance on this host
  std::string instance;  // name; empty when remote
};
// Decides between them; --server together with --instance is refused.
Result<Target> choose_target(const ConnectionOptions& options, const Env& env);

// The instance's paths, its data folder taken from its settings.
Result<InstancePaths> find_instance(const Env& env, const std::string& name);

// INSTANCE_NOT_UP when the instance has no running controller. One that has ended is waited for
// where --patience was given, as long as that: only then does somebody say that it comes back.
Result<http::Endpoint> resolve_endpoint(const ConnectionOptions& options, const Env& env);
// The endpoint of an instance's controller, from its pointer and its data folder. `token`: whose
// caller it is; empty: the operator's, who owns that folder.
Result<http::Endpoint> instance_endpoint(const InstancePaths& paths, const std::string& url,
                                         std::string token = "");

}  // namespace paddock::cli
