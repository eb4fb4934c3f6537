#include "controller/store/grant_reads.h"

#include <algorithm>

#include "common/base/text.h"
#include "controller/base/list_faults.h"

namespace paddock::store {

using contracts::Grant;

constexpr size_t kLongestChain = 8;

namespace {

Error no_grant(Reason reason, const std::string& why) {
  return {Code::kFailedPrecondition, reason, why, {{"spec.grants", why}}};
}

Error not_granted(const std::string& why) { return no_grant("GRANT_NOT_FOUND", why); }

// One whose deletion was asked for is a record for whoever holds it by a finalizer.
bool gives(const Grant& grant) { return !grant.metadata.deletion_timestamp; }

}  // namespace

Result<std::vector<Grant>> grant_chain(ReadTxn& txn, const std::string& name_space,
                                       const std::string& name) {
  std::vector<Grant> chain;
  for (std::string next = name; !next.empty(); next = chain.back().spec.parent) {
    if (chain.size() == kLongestChain)
      return no_grant("GRANT_CHAIN_INVALID",
                      cat("grant ", name, " is a part of itself, or more than ", kLongestChain,
                          " grants deep"));
    ASSIGN_OR_RETURN(auto found, txn.find<Grant>({name_space, next}));
    if (!found) return not_granted(cat("there is no grant ", next, " in this namespace"));
    if (!gives(*found))
      return not_granted(cat("grant ", next, " is being deleted and gives nothing any more"));
    chain.push_back(std::move(*found));
  }
  return chain;
}

Result<std::vector<std::vector<Grant>>> grant_chains(ReadTxn& txn, const std::string& name_space,
                                                     const std::vector<std::string>& names) {
  std::vector<std::vector<Grant>> chains;
  ListFaults faults;
  for (const std::string& name : names) {
    auto chain = grant_chain(txn, name_space, name);
    if (!chain.ok() && chain.error().code != Code::kFailedPrecondition) return chain.error();
    if (chain.ok())
      chains.push_back(std::move(chain).value());
    else
      faults.add(std::move(chain).error());
  }
  TRY(std::move(faults).status());
  return chains;
}

Result<std::vector<Grant>> grants_in(ReadTxn& txn, const std::string& name_space) {
  ListOptions options;
  options.name_space = name_space;
  ASSIGN_OR_RETURN(Page<Grant> page, txn.list<Grant>(options));
  std::erase_if(page.items, [](const Grant& grant) { return !gives(grant); });
  return std::move(page.items);
}

std::vector<std::string> grants_of(const std::vector<Grant>& grants, const std::string& subject) {
  std::vector<std::string> names;
  for (const Grant& grant : grants) {
    if (std::ranges::find(grant.spec.subjects, subject) != grant.spec.subjects.end())
      names.push_back(grant.metadata.name);
  }
  return names;
}

}  // namespace paddock::store
