#include "node-agent/devices/apple.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/contracts/launch.h"
#include "common/wire/json.h"

namespace paddock::devices {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;

// A name for people: neither long nor able to play tricks on a terminal.
bool is_plain(std::string_view name) {
  constexpr size_t kLongest = 64;
  return !name.empty() && name.size() <= kLongest &&
         std::ranges::all_of(name, [](char c) { return c >= ' ' && c <= '~'; });
}

std::string name_of(const wire::Value& gpu) {
  std::string model = gpu.text("sppci_model");
  return is_plain(model) ? model : "Apple GPU";
}

int cores_of(const wire::Value& gpu) {
  constexpr int kMost = 4096;
  const int cores = parse_integer<int>(gpu.text("sppci_cores")).value_or(0);
  return cores > 0 && cores <= kMost ? cores : 0;
}

// "32 GB", which are 32 GiB.
std::optional<wire::Quantity> memory_of(const std::string& text) {
  constexpr int64_t kMostGiB = 1 << 20;
  if (!text.ends_with(" GB")) return std::nullopt;
  const auto count = parse_integer<int64_t>(text.substr(0, text.size() - 3));
  if (!count || *count <= 0 || *count > kMostGiB) return std::nullopt;
  return wire::Quantity{*count * kGiB};
}

// A guest of macOS has a GPU of Apple's too, which is reached by another driver.
bool is_virtual(const wire::Value& gpu, const std::string& chip) {
  return chip.find("Virtual") != std::string::npos ||
         gpu.text("sppci_model").find("Paravirtual") != std::string::npos;
}

// The only hardware that the report describes; null if it does not.
wire::Value hardware_of(const wire::Value& report) {
  const wire::Value* all = report.find("SPHardwareDataType");
  if (all == nullptr || all->array() == nullptr || all->array()->empty()) return {};
  return all->array()->front();
}

Accelerator accelerator_of(const wire::Value& gpu, const wire::Value& hardware) {
  Accelerator out;
  out.kind = "apple";
  out.id = "apple-gpu-0";
  out.model = name_of(gpu);
  if (const int cores = cores_of(gpu); cores > 0) out.model += cat(", ", cores, " GPU cores");
  out.model += ", Neural Engine";
  out.memory = memory_of(hardware.text("physical_memory"));
  out.nodes = {std::string(contracts::kAppleGpu)};
  return out;
}

}  // namespace

std::optional<std::vector<Accelerator>> apple_accelerators(std::string_view report) {
  const auto document = wire::parse_json(report);
  if (!document) return std::nullopt;
  const wire::Value* displays = document->find("SPDisplaysDataType");
  if (displays == nullptr || displays->array() == nullptr) return std::nullopt;
  const wire::Value hardware = hardware_of(*document);
  const std::string chip = hardware.text("chip_type");
  for (const wire::Value& gpu : *displays->array()) {
    if (gpu.text("spdisplays_vendor") != "sppci_vendor_Apple" || is_virtual(gpu, chip)) continue;
    return std::vector{accelerator_of(gpu, hardware)};
  }
  return std::vector<Accelerator>{};
}

AppleProbe::AppleProbe()
    : AppleProbe({kSystemProfiler, "-json", "SPDisplaysDataType", "SPHardwareDataType"}) {}

AppleProbe::AppleProbe(std::vector<std::string> command, Millis patience)
    : program_(std::move(command), patience) {}

std::vector<Accelerator> AppleProbe::ask() {
  if (!answer_) {
    if (const auto text = program_.ask()) answer_ = apple_accelerators(*text);
  }
  return answer_.value_or(std::vector<Accelerator>{});
}

}  // namespace paddock::devices
