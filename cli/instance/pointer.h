// instance.json: which processes an instance consists of, by identity. A pointer is removed only by
// a program that knows its id, so an old `down` cannot remove the pointer of a newer `up`; and a
// process is signalled only if it is that very process, whatever its command line looks like.
#pragma once

#include <optional>
#include <string>

#include "cli/instance/instance.h"
#include "common/os/process.h"
#include "common/wire/describe.h"

namespace paddock::cli {

struct ProcessRef {
  int64_t pid = 0;
  int64_t start_ticks = 0;
  std::string boot_id;
  std::string nonce;  // the program's own, from the file it wrote; empty if it writes none
  std::optional<bool> network;  // whether a variable at its start allowed runs a network
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("pid", &ProcessRef::pid, "process id", {.required = true, .min = 1}),
                 field("startTicks", &ProcessRef::start_ticks, "start time", {.required = true}),
                 field("bootId", &ProcessRef::boot_id, "this boot", {.required = true}),
                 field("nonce", &ProcessRef::nonce, "made by the program", {.omit_empty = true}),
                 field("network", &ProcessRef::network, "what a variable at its start allowed"));
  }
};

ProcessRef to_ref(const os::ProcessIdentity& identity, std::string nonce = {});
os::ProcessIdentity to_identity(const ProcessRef& ref);
bool is_alive(const std::optional<ProcessRef>& ref);

struct InstancePointer {
  std::string id;  // random per `up`
  std::string instance;
  std::string url;
  std::string node;
  std::optional<ProcessRef> controller;
  std::optional<ProcessRef> agent;
  static constexpr auto describe(auto&& visit) {
    using wire::field;
    return visit(field("id", &InstancePointer::id, "whose pointer this is",
                       {.required = true, .min_length = 8}),
                 field("instance", &InstancePointer::instance, "name", {.required = true}),
                 field("url", &InstancePointer::url, "where the controller listens"),
                 field("node", &InstancePointer::node, "name of the node on this host"),
                 field("controller", &InstancePointer::controller, "paddock-controller"),
                 field("agent", &InstancePointer::agent, "paddock-node-agent"));
  }
};

// Whether the programs that run were both started with the variable that allows runs a network.
bool network_by_variables(const InstancePointer& pointer);

// Nothing when there is no pointer; POINTER_DAMAGED when it cannot be read as one.
Result<std::optional<InstancePointer>> read_pointer(const std::string& path);
// The same, but where the file is damaged: what the instance's programs that are alive say of
// themselves in their data folders; nothing when none is. `write_pointer` then mends the file.
Result<std::optional<InstancePointer>> current_pointer(const InstancePaths& paths);
// The description that a program wrote of itself into its data folder (controller.json,
// agent.json), or null.
wire::Value read_self_description(const std::string& path);
Status write_pointer(const std::string& path, const InstancePointer& pointer);
// Removes the file only if it still holds the pointer `id`. True if it did. Hold the instance's
// lock.
Result<bool> remove_pointer_if_current(const std::string& path, const std::string& id);

}  // namespace paddock::cli
