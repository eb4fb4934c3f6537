// The audit log as it is verified: each record as it is stored, with the digest that links it to
// the one before it (common/audit_chain).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/wire/describe.h"

namespace paddock::contracts {

using wire::field;

// Stands for the predecessor of the first record, which has none.
inline constexpr const char* kNoLink =
    "0000000000000000000000000000000000000000000000000000000000000000";

inline constexpr const char* kCheckpointPredicate = "https://paddock.dev/audit-checkpoint/v1";

// A record's number and its link: a place in the chain, and all that stands before it.
struct ChainPlace {
  int64_t id = 0;
  std::string hash = kNoLink;
  friend bool operator==(const ChainPlace&, const ChainPlace&) = default;
  static constexpr auto describe(auto&& visit) {
    return visit(field("id", &ChainPlace::id, "the record's id; 0: before the first one",
                       {.required = true}),
                 field("hash", &ChainPlace::hash, "its link, in hexadecimal", {.required = true}));
  }
};

struct ChainedRecord {
  int64_t id = 0;
  std::string hash;
  std::string record;
  bool misfiled = false;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("id", &ChainedRecord::id, "the event's id", {.required = true}),
        field(
            "hash", &ChainedRecord::hash,
            "SHA-256 of `paddock audit 1`, the hash before it, the id and the record, a line each",
            {.required = true}),
        field("record", &ChainedRecord::record, "the event's JSON, byte for byte as it is stored",
              {.required = true}),
        field("misfiled", &ChainedRecord::misfiled,
              "searches do not find it by what it says: the store's columns were changed",
              {.omit_empty = true}));
  }
};

struct AuditChainPage {
  ChainPlace anchor;
  std::vector<ChainedRecord> items;
  int64_t last_given = 0;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("anchor", &AuditChainPage::anchor,
              "the newest record that was forgotten when its time was over; id 0: none was",
              {.required = true}),
        field("items", &AuditChainPage::items, "oldest first; none: there are no more",
              {.required = true}),
        field("lastGiven", &AuditChainPage::last_given, "the highest id that was ever given out",
              {.required = true}));
  }
};

}  // namespace paddock::contracts
