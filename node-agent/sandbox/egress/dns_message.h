// DNS messages, as little of them as the broker needs: one question in, one address out; and our
// own questions with their answers. Pure; every byte read is hostile. (RFC 1035)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "node-agent/sandbox/egress/addresses.h"

namespace paddock::sandbox {

inline constexpr size_t kMostDnsBytes = 4096;  // of a message that we look at

enum class DnsType : uint16_t { kA = 1, kCname = 5, kPtr = 12, kAaaa = 28 };
enum class DnsCode : uint8_t {
  kNone = 0,
  kFormat = 1,
  kServer = 2,
  kNoName = 3,
  kNotImplemented = 4,
  kRefused = 5
};

struct DnsQuery {
  uint16_t id = 0;
  uint8_t opcode = 0;
  bool recursion_desired = false;
  uint16_t type = 0;
  uint16_t klass = 0;
  // With dots; lower case; each byte that no host name has as \DDD, so that host_name() refuses it.
  std::string name;
  std::string question;  // its bytes, to be repeated
};

// Reads a question; nothing if the message is none, and then no answer is needed.
std::optional<DnsQuery> read_dns_query(std::string_view message);
std::string write_dns_reply(const DnsQuery& query, DnsCode code,
                            const std::optional<IpAddress>& address = std::nullopt);

// `name` must come from host_name().
std::string write_dns_query(uint16_t id, std::string_view name, DnsType type);

struct DnsAnswer {
  DnsCode code = DnsCode::kNone;
  bool truncated = false;
  std::vector<IpAddress> addresses;  // of the name itself, through its aliases; at most 16
};
// Reads an answer; nothing if the message does not answer this very question.
std::optional<DnsAnswer> read_dns_answer(std::string_view message, uint16_t id,
                                         std::string_view name, DnsType type);

}  // namespace paddock::sandbox
