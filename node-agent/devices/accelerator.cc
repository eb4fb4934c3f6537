#include "node-agent/devices/accelerator.h"

#include <algorithm>

#include "common/base/append_new.h"
#include "common/base/text.h"

namespace paddock::devices {
namespace {

using contracts::AcceleratorKind;

std::string_view word(AcceleratorKind kind) {
  return kind == AcceleratorKind::kApple ? "apple" : "nvidia";
}

std::vector<Accelerator> unused_of(const std::vector<Accelerator>& there,
                                   const std::vector<std::string>& used, AcceleratorKind kind) {
  std::vector<Accelerator> out;
  std::ranges::copy_if(there, std::back_inserter(out), [&](const Accelerator& each) {
    return each.kind == word(kind) && each.fault.empty() &&
           std::ranges::find(used, each.id) == used.end();
  });
  std::ranges::sort(out, {}, &Accelerator::id);
  return out;
}

// A variable that not all of them have would hide some of them from the program.
std::map<std::string, std::string> joined_variables(const std::vector<Accelerator>& granted) {
  std::map<std::string, std::string> out;
  for (const auto& [name, first] : granted.front().env) {
    std::vector<std::string> values;
    for (const Accelerator& each : granted) {
      const auto found = each.env.find(name);
      if (found != each.env.end()) values.push_back(found->second);
    }
    if (values.size() == granted.size()) out[name] = join(values, ",");
  }
  return out;
}

}  // namespace

Result<std::vector<Accelerator>> choose(const std::vector<Accelerator>& there,
                                        const std::vector<std::string>& used,
                                        const contracts::Accelerators& wish) {
  std::vector<Accelerator> unused = unused_of(
      there, used, wish.kind == AcceleratorKind::kAny ? AcceleratorKind::kNvidia : wish.kind);
  if (wish.kind == AcceleratorKind::kAny) {
    std::vector<Accelerator> apple = unused_of(there, used, AcceleratorKind::kApple);
    if (apple.size() > unused.size()) unused = std::move(apple);
  }
  const auto count = static_cast<size_t>(wish.count);
  if (unused.size() < count) {
    return Error{
        Code::kUnavailable, "ACCELERATOR_UNAVAILABLE",
        cat("the run was placed here for ", count, " accelerators, and ", unused.size(),
            " that suit are there, well and free: a device or its driver has gone or failed "
            "since; see status.devices of the node")};
  }
  unused.resize(count);
  return unused;
}

Access access_to(const std::vector<Accelerator>& granted) {
  Access out;
  if (granted.empty()) return out;
  std::vector<std::string> folders;
  for (const Accelerator& each : granted) {
    append_new(out.nodes, each.nodes);
    append_new(folders, each.libraries);
  }
  out.env = joined_variables(granted);
  std::vector<std::string> searched;
  for (const std::string& folder : folders) {
    if (contracts::is_within(folder, "/usr")) {  // which every sandbox shows
      searched.push_back(folder);
      continue;
    }
    searched.push_back(cat(contracts::kSandboxDriver, "/", out.mounts.size()));
    out.mounts.push_back({folder, searched.back()});
  }
  if (!searched.empty()) out.env["LD_LIBRARY_PATH"] = join(searched, ":");
  return out;
}

}  // namespace paddock::devices
