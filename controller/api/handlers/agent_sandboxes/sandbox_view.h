// Sessions shown as Sandboxes of agents.x-k8s.io, and made and changed as such.
#pragma once

#include "controller/agent_sandboxes/mapping.h"
#include "controller/api/handlers/sessions/sandbox_kind.h"
#include "controller/api/objects/views.h"

namespace paddock::api {

struct AgentSandboxView {
  using Stored = contracts::Sandbox;
  static constexpr const char* kKind = "Sandbox";
  static constexpr const char* kApiVersion = contracts::kAgentsApiVersion;
  static constexpr bool kShownAsStored = false;
  static wire::Value object(const Stored& session) { return agent_sandboxes::document_of(session); }
  static wire::Value cells(const Stored& session, WallTime now);
  static wire::Value columns();
  static const k8s::Labels& labels(const Stored& session) { return session.metadata.labels; }
  static k8s::Labels fields(const Stored& session) {
    return KindTraits<Stored>::selectable_fields(session);
  }

  static const k8s::Resource& resource() { return k8s::kAgentResources[0]; }
  static Result<Stored> made(const Services& services, const Written& written);
  static Result<Stored> changed(const Services& services, const Stored& live,
                                const Written& written);
  static void keep(const wire::Value& document, Stored& session);
};

}  // namespace paddock::api
