#include "node-agent/sandbox/egress/name_table.h"

namespace paddock::sandbox {

std::optional<IpAddress> NameTable::address_of(const std::string& name) {
  if (const auto known = index_.find(name); known != index_.end())
    return ipv4(kFirst + known->second);
  if (names_.size() >= kMost) return std::nullopt;
  const auto index = static_cast<uint32_t>(names_.size());
  names_.push_back(name);
  index_.emplace(name, index);
  return ipv4(kFirst + index);
}

std::optional<std::string> NameTable::name_at(const IpAddress& address) const {
  if (address.v6) return std::nullopt;
  const uint32_t index = ipv4_number(address) - kFirst;
  if (index >= names_.size()) return std::nullopt;
  return names_[index];
}

std::map<std::string, std::string> NameTable::by_address() const {
  std::map<std::string, std::string> out;
  for (const auto& [name, index] : index_) out.emplace(to_text(ipv4(kFirst + index)), name);
  return out;
}

bool is_synthetic(const IpAddress& address) {
  return !address.v6 && ipv4_number(address) - NameTable::kFirst < NameTable::kMost;
}

}  // namespace paddock::sandbox
