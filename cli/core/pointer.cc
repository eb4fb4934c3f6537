#include "cli/core/pointer.h"

#include <unistd.h>

#include <cerrno>

#include "common/os/file.h"
#include "common/wire/json.h"

namespace paddock::cli {

ProcessRef to_ref(const os::ProcessIdentity& identity, std::string nonce) {
  return {identity.pid, static_cast<int64_t>(identity.start_ticks), identity.boot_id,
          std::move(nonce)};
}

os::ProcessIdentity to_identity(const ProcessRef& ref) {
  return {static_cast<pid_t>(ref.pid), static_cast<uint64_t>(ref.start_ticks), ref.boot_id};
}

bool is_alive(const std::optional<ProcessRef>& ref) { return ref && os::alive(to_identity(*ref)); }

Result<std::optional<InstancePointer>> read_pointer(const std::string& path) {
  if (!os::exists(path)) return std::optional<InstancePointer>();
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
