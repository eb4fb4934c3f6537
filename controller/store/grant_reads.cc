#include "controller/store/grant_reads.h"

#include <algorithm>

#include "common/base/text.h"

namespace paddock::store {

using contracts::Grant;

constexpr size_t kLongestChain = 8;

Result<std::vector<Grant>> grant_chain(ReadTxn& txn, const std::string& name_space,
                                       const std::string& name) {
  std::vector<Grant> chain;
  for (std::string next = name; !next.empty(); next = chain.back().spec.parent) {
    if (chain.size() == kLongestChain)
      return Error{Code::kFailedPrecondition, "GRANT_CHAIN_INVALID",
                   cat("grant ", name, " is a part of itself, or more than ", kLongestChain,
                       " grants deep")};
    ASSIGN_OR_RETURN(auto found, txn.find<Grant>({name_space, next}));
    if (!found)
      return Error{Code::kFailedPrecondition,
                   "GRANT_NOT_FOUND",
                   cat("there is no grant ", next, " in this namespace"),
                   {{"spec.grants", cat("there is no grant ", next)}}};
    chain.push_back(std::move(*found));
  }
  return chain;
}

Result<std::vector<std::vector<Grant>>> grant_chains(ReadTxn& txn, const std::string& name_space,
                                                     const std::vector<std::string>& names) {
  std::vector<std::vector<Grant>> chains;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(auto chain, grant_chain(txn, name_space, name));
    chains.push_back(std::move(chain));
  }
  return chains;
}

Result<std::vector<Grant>> grants_in(ReadTxn& txn, const std::string& name_space) {
  ListOptions options;
  options.name_space = name_space;
  ASSIGN_OR_RETURN(Page<Grant> page, txn.list<Grant>(options));
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
