#include "node-agent/devices/driver_probe.h"

#include "common/wire/json.h"

namespace paddock::devices {
namespace {

constexpr const char* kSilent =
    "the driver does not answer; see the kernel's log for NVRM, and restart the host if it stays "
    "so";

DriverReport faulty(std::string why) { return {std::move(why), {}}; }

DriverReport understood(const std::string& text) {
  const auto document = wire::parse_json(text);
  auto report = document ? wire::decode<DriverReport>(*document) : document.error();
  return report ? std::move(*report) : faulty("what the driver says is not understood");
}

}  // namespace

std::optional<DriverReport> DriverProbe::ask() {
  const Result<std::string> text = program_.ask();
  if (!text) return faulty(text.error().reason == kProgramSilent ? kSilent : text.error().message);
  if (text->empty()) return std::nullopt;
  return understood(*text);
}

}  // namespace paddock::devices
