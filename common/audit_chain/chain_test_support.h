// Chains for tests.
#pragma once

#include <string>
#include <vector>

#include "common/audit_chain/chain.h"
#include "common/base/text.h"

namespace paddock::audit_chain {

struct Chain {
  ChainPlace anchor;
  std::vector<ChainedRecord> records;
};

inline void append(Chain& chain, int64_t id, const std::string& record) {
  const std::string before = chain.records.empty() ? chain.anchor.hash : chain.records.back().hash;
  chain.records.push_back({id, link(before, id, record), record});
}

inline Chain make_chain(int64_t count, const std::string& said = "x") {
  Chain chain;
  for (int64_t id = 1; id <= count; ++id)
    append(chain, id, cat(R"({"type":"test.)", said, id, R"("})"));
  return chain;
}

// As it is kept when all to record `id` were forgotten.
inline Chain behind(const Chain& chain, int64_t id) {
  Chain kept;
  for (const ChainedRecord& record : chain.records) {
    if (record.id > id) kept.records.push_back(record);
    if (record.id <= id) kept.anchor = {record.id, record.hash};
  }
  return kept;
}

}  // namespace paddock::audit_chain
