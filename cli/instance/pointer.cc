#include "cli/instance/pointer.h"

#include <unistd.h>

#include <cerrno>

#include "common/base/text.h"
#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::cli {

namespace {

// The process that wrote the description, if it is still alive.
std::optional<ProcessRef> living_process(const wire::Value& description) {
  const auto number = [&](const char* name) {
    const wire::Value* value = description.find(name);
    return value != nullptr && value->integer() != nullptr ? *value->integer() : int64_t{0};
  };
  const std::optional<ProcessRef> process = ProcessRef{
      number("pid"), number("startTicks"), description.text("bootId"), description.text("nonce")};
  return process->pid > 0 && is_alive(process) ? process : std::nullopt;
}

// The same for the same processes, so that what is put back can be removed again.
std::string make_id(const wire::Value& controller, const wire::Value& agent) {
  return cat("found-again-", controller.text("nonce"), agent.text("nonce"));
}

}  // namespace

bool network_by_variables(const InstancePointer& pointer) {
  const auto allows = [](const std::optional<ProcessRef>& process) {
    return process && process->network.value_or(false);
  };
  return allows(pointer.controller) && allows(pointer.agent);
}

ProcessRef to_ref(const os::ProcessIdentity& identity, std::string nonce) {
  return {identity.pid, static_cast<int64_t>(identity.start_ticks), identity.boot_id,
          std::move(nonce)};
}

os::ProcessIdentity to_identity(const ProcessRef& ref) {
  return {static_cast<pid_t>(ref.pid), static_cast<uint64_t>(ref.start_ticks), ref.boot_id};
}

bool is_alive(const std::optional<ProcessRef>& ref) { return ref && os::alive(to_identity(*ref)); }

Result<std::optional<InstancePointer>> read_pointer(const std::string& path) {
  ASSIGN_OR_RETURN(const bool there, os::is_there(path));
  if (!there) return std::optional<InstancePointer>();
  const auto damaged = [](const Error& cause) {
    return Error{Code::kInternal, "POINTER_DAMAGED", "the instance's pointer file cannot be read"}
        .within(cause.describe());
  };
  Result<std::string> text = os::read_file(path, 64 << 10);
  if (!text.ok()) return damaged(text.error());
  Result<wire::Value> value = wire::parse_json(*text);
  if (!value.ok()) return damaged(value.error());
  Result<InstancePointer> pointer = wire::decode<InstancePointer>(*value);
  if (!pointer.ok()) return damaged(pointer.error());
  return std::optional<InstancePointer>(std::move(pointer).value());
}

wire::Value read_self_description(const std::string& path) {
  if (!os::exists(path)) return {};
  Result<std::string> text = os::read_file(path, 64 << 10);
  if (!text.ok()) return {};
  Result<wire::Value> value = wire::parse_json(*text);
  return value.ok() ? std::move(value).value() : wire::Value();
}

Result<std::optional<InstancePointer>> current_pointer(const InstancePaths& paths) {
  Result<std::optional<InstancePointer>> pointer = read_pointer(paths.pointer());
  if (pointer.ok() || pointer.error().reason != "POINTER_DAMAGED") return pointer;
  const wire::Value controller =
      read_self_description(paths.controller_data() + "/controller.json");
  const wire::Value agent = read_self_description(paths.agent_data() + "/agent.json");
  InstancePointer found;
  found.id = make_id(controller, agent);
  found.instance = paths.name;
  found.url = controller.text("url");
  found.node = agent.text("node");
  found.controller = living_process(controller);
  found.agent = living_process(agent);
  if (!found.controller && !found.agent) return std::optional<InstancePointer>();
  return std::optional(std::move(found));
}

Status write_pointer(const std::string& path, const InstancePointer& pointer) {
  return os::write_file_atomic(path, wire::to_pretty_json(wire::encode(pointer)));
}

Result<bool> remove_pointer_if_current(const std::string& path, const std::string& id) {
  ASSIGN_OR_RETURN(const std::optional<InstancePointer> current, read_pointer(path));
  if (!current || current->id != id) return false;
  if (::unlink(path.c_str()) != 0) return system_error("removing the instance's pointer", errno);
  return true;
}

}  // namespace paddock::cli
