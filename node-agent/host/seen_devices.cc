#include "node-agent/host/seen_devices.h"

#include <algorithm>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/os/file.h"
#include "common/wire/json.h"
#include "node-agent/devices/driver_report.h"

namespace paddock::agent {
namespace {

using devices::Accelerator;
using devices::field;

constexpr size_t kMaxBytes = 256 << 10;
constexpr size_t kMaxDevices = 256;

// The facts that are shown of a device that is gone, and by which it is recognised if it comes
// back.
struct SeenDevice {
  std::string kind;
  std::string id;
  std::string model;
  std::string gpu;
  std::optional<wire::Quantity> memory;
  std::vector<std::string> nodes;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("kind", &SeenDevice::kind, "nvidia or apple", {.required = true, .max_length = 32}),
        field("id", &SeenDevice::id, "stable on its node",
              {.required = true, .min_length = 1, .max_length = 128}),
        field("model", &SeenDevice::model, "for people", {.omit_empty = true, .max_length = 128}),
        field("gpu", &SeenDevice::gpu, "UUID of its card", {.omit_empty = true, .max_length = 128}),
        field("memory", &SeenDevice::memory, "bytes"),
        field("nodes", &SeenDevice::nodes, "its device nodes", {.max_length = 64}));
  }
};

Accelerator accelerator_of(SeenDevice seen) {
  Accelerator out;
  out.kind = std::move(seen.kind);
  out.id = std::move(seen.id);
  out.model = std::move(seen.model);
  out.gpu = std::move(seen.gpu);
  out.memory = seen.memory;
  out.nodes = std::move(seen.nodes);
  return out;
}

std::string text_of(const std::vector<Accelerator>& all) {
  std::string out;
  for (const Accelerator& each : all) {
    const SeenDevice seen{each.kind, each.id, each.model, each.gpu, each.memory, each.nodes};
    out += wire::encode_json(seen) + "\n";
  }
  return out;
}

std::vector<Accelerator> devices_in(std::string_view text) {
  std::vector<Accelerator> out;
  for (const std::string& line : split(text, '\n')) {
    if (out.size() == kMaxDevices) break;
    const auto value = wire::parse_json(line, {.max_bytes = kMaxBytes});
    if (!value) continue;
    if (auto seen = wire::decode<SeenDevice>(*value))
      out.push_back(accelerator_of(std::move(*seen)));
  }
  return out;
}

bool has(const std::vector<Accelerator>& all, const Accelerator& one) {
  return std::ranges::find(all, one.id, &Accelerator::id) != all.end();
}

}  // namespace

std::vector<Accelerator> SeenDevices::seen() const {
  if (!unwritten_.empty()) return devices_in(unwritten_);
  const auto text = os::read_file(path_, kMaxBytes);
  return text ? devices_in(*text) : std::vector<Accelerator>();
}

void SeenDevices::remember(const std::vector<Accelerator>& devices) {
  const std::string text = text_of(devices);
  const auto before = os::read_file(path_, kMaxBytes);
  const bool same = before ? *before == text : text.empty();
  const Status written = same ? Status() : os::write_file_atomic(path_, text, 0600);
  if (!written && unwritten_.empty())
    log_warn("what devices there are could not be noted", {{"error", written.error().describe()}});
  unwritten_ = written.ok() ? "" : text;
}

std::vector<Accelerator> SeenDevices::with_gone(std::vector<Accelerator> found,
                                                const std::vector<Accelerator>& declared) {
  std::ranges::copy(declared, std::back_inserter(found));
  std::vector<Accelerator> all = devices::with_vanished(seen(), std::move(found));
  std::vector<Accelerator> kept;
  std::ranges::copy_if(all, std::back_inserter(kept),
                       [&](const Accelerator& each) { return !has(declared, each); });
  remember(kept);
  return all;
}

}  // namespace paddock::agent
