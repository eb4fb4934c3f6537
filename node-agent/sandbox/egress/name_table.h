// The addresses that names have inside the sandbox: one each out of 127.64.0.0/10, given out on the
// first question and kept for the run. Pure; not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "node-agent/sandbox/egress/addresses.h"

namespace paddock::sandbox {

class NameTable {
 public:
  static constexpr size_t kMost = 1024;
  static constexpr uint32_t kFirst = 0x7f400001;  // 127.64.0.1

  // The address of this name, which is given out now if it has none; nothing when the table is
  // full.
  std::optional<IpAddress> address_of(const std::string& name);
  // The name at this address; nothing if it was not given out.
  std::optional<std::string> name_at(const IpAddress& address) const;
  std::map<std::string, std::string> by_address() const;

 private:
  std::map<std::string, uint32_t> index_;
  std::vector<std::string> names_;
};

// Whether an address is one of those that this table gives out, given out or not.
bool is_synthetic(const IpAddress& address);

}  // namespace paddock::sandbox
