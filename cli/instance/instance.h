// Embedded instances, isolated by name: each has its own folder with everything in it, whatever
// port it listens on.
//
//   <root>/instances/<name>/
//     instance.json    pointer to the running processes; exists only while they are meant to run
//     settings.json    what `up` was told last: port, data folder, packages, network
//     lock             held while `up` or `down` is at work
//     controller/ agent/             the programs' own data (elsewhere with --data-dir)
//     logs/<program>/latest.log      and previous.log
//     run/                           sockets
#pragma once

#include <array>
#include <map>
#include <string>

#include "cli/options/package_sources.h"
#include "common/wire/describe.h"

namespace paddock::cli {

// ^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$, else INVALID_INSTANCE_NAME.
Status check_instance_name(std::string_view name);

// $PADDOCK_HOME; else /var/lib/paddock for root; else $XDG_STATE_HOME/paddock or
// ~/.local/state/paddock. NO_HOME when none of them is known.
Result<std::string> state_root(const std::map<std::string, std::string>& vars, bool root);

struct InstancePaths {
  std::string name;
  std::string folder;
  std::string data;  // holds controller/ and agent/

  std::string pointer() const { return folder + "/instance.json"; }
  std::string settings() const { return folder + "/settings.json"; }
  std::string lock() const { return folder + "/lock"; }
  std::string controller_data() const { return data + "/controller"; }
  std::string agent_data() const { return data + "/agent"; }
  std::string run_folder() const { return folder + "/run"; }
  std::string socket(std::string_view program) const;
  std::string log_folder(std::string_view program) const;
  std::string log(std::string_view program) const { return log_folder(program) + "/latest.log"; }
};
// `data_dir` empty: the instance's own folder.
Result<InstancePaths> instance_paths(const std::string& root, const std::string& name,
                                     const std::string& data_dir = {});

// Kept from one `up` to the next, so that an instance stays where it was.
struct InstanceSettings {
  int64_t port = 0;
  std::string data_dir;
  PackageSources packages;
  bool network = false;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("port", &InstanceSettings::port, "last port", {.min = 0, .max = 65535}),
                 field("dataDir", &InstanceSettings::data_dir, "given with --data-dir",
                       {.omit_empty = true}),
                 field("packages", &InstanceSettings::packages, "where packages come from",
                       {.omit_empty = true}),
                 field("network", &InstanceSettings::network, "given with --network"));
  }
};
// Missing settings are the defaults; SETTINGS_DAMAGED.
Result<InstanceSettings> read_settings(const std::string& path);
Status write_settings(const std::string& path, const InstanceSettings& settings);
// The variables that allow a network, one of each program.
inline constexpr std::array kNetworkVariables = {"PADDOCK_CONTROLLER_CEILINGS_NETWORK",
                                                 "PADDOCK_NODE_AGENT_CEILINGS_NETWORK"};
// For people: whether runs may ask for a network, or how they may. `by_variables`: those of the
// programs that run allow it, whatever the settings say.
std::string network_line(const InstanceSettings& settings, bool by_variables);

}  // namespace paddock::cli
