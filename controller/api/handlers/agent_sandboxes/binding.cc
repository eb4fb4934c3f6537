#include "controller/api/handlers/agent_sandboxes/binding.h"

#include "controller/agent_sandboxes/claims.h"
#include "controller/api/handlers/agent_sandboxes/sandbox_view.h"
#include "controller/api/objects/creates.h"
#include "controller/api/objects/long_list.h"

namespace paddock::api {
namespace {

using contracts::Sandbox;
using contracts::SandboxClaim;
using contracts::SandboxTemplate;
using wire::Value;

// The session of a claim, whose name it has.
template <bool kNetwork>
struct ClaimedView : AgentSandboxView {
  static Result<Sandbox> made(const Services& services, const Written& written) {
    ASSIGN_OR_RETURN(Sandbox session, AgentSandboxView::made(services, written));
    if (!kNetwork) session.spec.security.network = {};
    return session;
  }
  static void keep(const Value& document, Sandbox& session) {
    AgentSandboxView::keep(document, session);
    session.status.claim = session.metadata.name;
  }
};

struct Found {
  std::optional<SandboxTemplate> made_of;
  std::string missing;  // the name of the template that is not there
};

Result<Found> find_template(Services& services, const SandboxClaim& claim) {
  Found found;
  TRY(services.store.read([&](store::ReadTxn& txn) -> Status {
    store::Key key{claim.metadata.name_space, agent_sandboxes::wanted_pool(claim)};
    ASSIGN_OR_RETURN(const auto pool, txn.find<contracts::SandboxWarmPool>(key));
    if (pool) key.name = agent_sandboxes::template_of(*pool);
    ASSIGN_OR_RETURN(found.made_of, txn.find<SandboxTemplate>(key));
    found.missing = key.name;
    return {};
  }));
  return found;
}

// Makes the claim's sandbox. An error says why there is none.
Status make_sandbox(const Call& call, const SandboxClaim& claim, const SandboxTemplate& made_of) {
  ASSIGN_OR_RETURN(Value document, agent_sandboxes::sandbox_for(claim, made_of));
  Call inner = call;
  inner.body = std::move(document);
  const auto made = agent_sandboxes::denies_network(made_of)
                        ? create_with<Sandbox, ClaimedView<false>>(inner, {})
                        : create_with<Sandbox, ClaimedView<true>>(inner, {});
  if (!made.ok()) return agent_sandboxes::in_its_words(made.error());
  return {};
}

contracts::SandboxClaimStatus refusal(const Error& error) {
  return agent_sandboxes::unbound(
      error.reason, cat(error.message, "; once that is mended, delete the claim and make it anew"));
}

Status note(Services& services, SandboxClaim& claim, contracts::SandboxClaimStatus status) {
  return services.store.write([&](store::WriteTxn& txn) -> Status {
    const store::Key key{claim.metadata.name_space, claim.metadata.name};
    ASSIGN_OR_RETURN(auto now, txn.find<SandboxClaim>(key));
    if (!now || now->metadata.uid != claim.metadata.uid) return {};
    if (!agent_sandboxes::is_bound(*now)) {  // another request may have bound it meanwhile
      now->status = status;
      TRY(txn.update(*now));
    }
    claim = std::move(*now);
    return {};
  });
}

// Reads the claim again: its session has written its state into the claim meanwhile.
Status read_again(Services& services, SandboxClaim& claim) {
  return services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(auto now,
                     txn.find<SandboxClaim>({claim.metadata.name_space, claim.metadata.name}));
    if (now) claim = std::move(*now);
    return {};
  });
}

}  // namespace

bool waits(const SandboxClaim& claim) {
  return !agent_sandboxes::is_bound(claim) && !claim.metadata.deletion_timestamp;
}

Status bind_claim(const Call& call, SandboxClaim& claim) {
  ASSIGN_OR_RETURN(const Found found, find_template(call.services, claim));
  if (!found.made_of)
    return note(call.services, claim,
                agent_sandboxes::unbound("TemplateNotFound",
                                         cat("there is no SandboxTemplate `", found.missing,
                                             "` yet; its Sandbox is made when there is")));
  const Status made = make_sandbox(call, claim, *found.made_of);
  if (made.ok()) return read_again(call.services, claim);
  return note(call.services, claim, refusal(made.error()));
}

Status bind_waiting_claims(const Call& call) {
  store::ListOptions options;
  options.name_space = call.param("ns");
  options.limit = kListRows;
  options.bytes = kListBytes;
  options.leave_out = true;
  do {
    store::Page<SandboxClaim> page;
    TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
      ASSIGN_OR_RETURN(page, txn.list<SandboxClaim>(options));
      return {};
    }));
    for (SandboxClaim& claim : page.items) {
      if (call.request.client.gone()) return {};  // the rest wait for the next who asks
      if (waits(claim)) TRY(bind_claim(call, claim));
    }
    options.after = page.continue_after;
  } while (!options.after.empty());
  return {};
}

}  // namespace paddock::api
