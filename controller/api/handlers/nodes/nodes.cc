#include "controller/api/handlers/nodes/nodes.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "common/base/text.h"
#include "common/cas/blobs.h"
#include "common/contracts/blob_request.h"
#include "common/contracts/protocol.h"
#include "controller/api/handlers/nodes/node_claims.h"
#include "controller/api/metrics/metrics.h"
#include "controller/api/objects/delete_options.h"
#include "controller/api/objects/objects.h"
#include "controller/api/server/audit_writer.h"
#include "controller/api/server/blob_response.h"
#include "controller/api/server/blob_upload.h"
#include "controller/events/topic_listener.h"
#include "controller/k8s/objects.h"
#include "controller/nodes/assignments.h"
#include "controller/nodes/leases.h"
#include "controller/nodes/registry.h"
#include "controller/nodes/synchronize.h"
#include "controller/nodes/usage_table.h"
#include "controller/runs/finished_artifacts.h"
#include "controller/store/run_writes.h"
#include "controller/workspaces/trees.h"

namespace paddock::api {
namespace {

Result<contracts::Run> held_run(Call& call) {
  return nodes::assigned_run(call.services.store, call.param("node"), call.param("uid"));
}

}  // namespace

Result<int64_t> agent_protocol(const Request& request) {
  return contracts::protocol_said(request.header(ascii_lower(contracts::kAgentProtocolHeader)));
}

void say_protocol(Response& response) {
  response.headers.emplace_back(ascii_lower(contracts::kControllerProtocolHeader),
                                std::to_string(contracts::kProtocolVersion));
}

Result<Response> delete_node(Call& call) {
  ASSIGN_OR_RETURN(const DeleteOptions options, read_delete_options(call.request, call.body));
  contracts::Node node;
  TRY(call.services.store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(node, txn.get<contracts::Node>({"", call.param("node")}));
    return check_preconditions(options, node.metadata);
  }));
  if (options.dry_run)
    return json_response(k8s::deleted_status(k8s::resource_of("Node"), node.metadata));
  TRY(nodes::remove(
      call.services.store, call.services.leases, node.metadata.name, [&](store::WriteTxn& txn) {
        return record(txn, call, contracts::audit::kObjectDelete, "nodes", node.metadata);
      }));
  return json_response(k8s::deleted_status(k8s::resource_of("Node"), node.metadata));
}

namespace {

// An agent of the next release may say more than this one knows; of any other that is a mistake.
Result<contracts::SyncRequest> read_sync(const Call& call, int64_t protocol) {
  if (protocol <= contracts::kProtocolVersion)
    return wire::decode<contracts::SyncRequest>(call.body);
  std::vector<std::string> unknown;
  return wire::decode<contracts::SyncRequest>(call.body, unknown);
}

Response sync_answer(Services& services, contracts::SyncAnswer answer) {
  nodes::name_artifact_types(answer.runs, services.compute_types);
  Response response = object_response(answer);
  say_protocol(response);
  return response;
}

// A call that told all and heard all: it is answered when what its node should do changes.
class HeldSync final : public HeldAnswer {
 public:
  // `told`: everything that it said is stored. `seen`: of the node's topic, before that.
  HeldSync(Services& services, std::string node, contracts::SyncRequest told,
           contracts::SyncAnswer answer, uint64_t seen, Millis hold)
      : services_(services),
        node_(std::move(node)),
        told_(std::move(told)),
        answer_(std::move(answer)),
        changed_(services.notifier, store::node_topic(node_)),
        seen_(seen),
        until_(services.clock.mono() + hold) {}

  std::optional<Millis> wait(const std::shared_ptr<Waker>& waker) override {
    const Millis left = until_ - services_.clock.mono();
    if (left <= Millis(0) || changed_.stopped()) return std::nullopt;
    if (const uint64_t now = changed_.version(); now != seen_) {
      seen_ = now;
      touched_ = true;
      return std::nullopt;
    }
    changed_.listen(seen_, waker);
    return left;
  }

  // The topic changes for other nodes too, and for what this one need not hear.
  bool settle() override {
    if (!std::exchange(touched_, false)) return true;
    const auto version = nodes::desired_version(services_.store, node_);
    news_ = !version.ok() || *version != answer_.version;
    return news_;
  }

  Result<Response> make() override {
    if (news_) {
      ASSIGN_OR_RETURN(answer_, nodes::synchronize(services_.store, services_.leases, node_, told_,
                                                   nodes::now(services_.clock)));
    }
    return sync_answer(services_, std::move(answer_));
  }

 private:
  Services& services_;
  const std::string node_;
  const contracts::SyncRequest told_;
  contracts::SyncAnswer answer_;
  events::TopicListener changed_;
  uint64_t seen_;
  const MonoTime until_;
  bool touched_ = false;  // its topic; not looked yet what for
  bool news_ = false;
};

Result<Response> synchronize_with(Call& call, int64_t protocol) {
  Services& services = call.services;
  const std::string& node = call.param("node");
  ASSIGN_OR_RETURN(auto request, read_sync(call, protocol));
  if (request.status) request.status->protocol_version = protocol;
  TRY(judge_claims(services, node, request));
  ASSIGN_OR_RETURN(const volumes::Publishing publishing,
                   volumes::prepare(services.store, services.blobs, node, request.runs,
                                    services.volumes, services.random));
  const uint64_t seen = services.notifier.version(store::node_topic(node));
  nodes::DeviceTimes held;
  ASSIGN_OR_RETURN(auto answer, nodes::synchronize(services.store, services.leases, node, request,
                                                   nodes::now(services.clock), publishing, &held));
  services.metrics.device_time.count(held);
  if (request.usage) services.usage->note(node, *request.usage, nodes::now(services.clock));
  const Millis hold = nodes::hold_for(request, answer, services.leases.times().lease);
  if (hold <= Millis(0)) return sync_answer(services, std::move(answer));
  request.status.reset();  // what it said is stored; later only the answer counts
  request.runs.clear();
  Response response;
  response.later =
      std::make_shared<HeldSync>(services, node, std::move(request), std::move(answer), seen, hold);
  return response;
}

}  // namespace

Result<Response> synchronize_node(Call& call) {
  ASSIGN_OR_RETURN(const int64_t protocol, agent_protocol(call.request));
  if (Status fits = contracts::check_agent_protocol(protocol); !fits.ok()) {
    TRY(nodes::note_mismatch(call.services.store, call.param("node"), protocol,
                             fits.error().message));
    return std::move(fits).error();
  }
  return synchronize_with(call, protocol);
}

Result<Response> node_run_tree(Call& call) {
  ASSIGN_OR_RETURN(const contracts::Run run, held_run(call));
  contracts::Digest root = run.status.workspace_root;
  if (const auto name = call.request.parameter("volume")) {
    const auto& all = run.status.volumes;
    const auto found = std::ranges::find(all, *name, &contracts::MountedVolume::name);
    if (found == all.end())
      return Error{Code::kNotFound, "VOLUME_NOT_FOUND", "the run reads no volume of this name"};
    root = found->root;
  }
  ASSIGN_OR_RETURN(const contracts::Tree tree, workspaces::stored_tree(call.services.blobs, root));
  return object_response(tree);
}

Result<Response> node_run_blob(Call& call) {
  ASSIGN_OR_RETURN(const contracts::Run run, held_run(call));
  ASSIGN_OR_RETURN(const bool reads, run_reads(call.services, run, call.param("digest")));
  if (!reads)
    return Error{Code::kNotFound, "BLOB_NOT_FOUND", "no tree of the run names such a blob"};
  return blob_response(call.request, call.services, call.param("digest"), {});
}

Result<Response> node_run_blobs(Call& call) {
  ASSIGN_OR_RETURN(const contracts::Run run, held_run(call));
  ASSIGN_OR_RETURN(auto asked, wire::decode<contracts::BlobRequest>(call.body));
  for (const contracts::Digest& each : asked.digests) {
    ASSIGN_OR_RETURN(const bool reads, run_reads(call.services, run, each));
    if (!reads)
      return Error{Code::kNotFound, "BLOB_NOT_FOUND", "no tree of the run names one of these"};
  }
  return bundle_response(call.request, call.services, std::move(asked.digests));
}

// It is recorded that the blob belongs to this run before the node hears that it arrived: a report
// that names another run's blob is not believed.
Result<Response> node_run_artifact(Call& call) {
  ASSIGN_OR_RETURN(const contracts::Run run, held_run(call));
  ASSIGN_OR_RETURN(Response answer,
                   receive_blob(call, run.metadata.name_space, cas::Durability::kNow, true));
  TRY(call.services.store.write_freeing(
      [&](store::WriteTxn& txn) -> Status {
        if (auto still = txn.run_by_uid(run.metadata.uid); !still) return still.error();
        return txn.put_sent_blob(run.metadata.uid, call.param("digest"));
      },
      store::Frees::kRuns));
  return answer;
}

Result<Response> node_run_finished(Call& call) {
  ASSIGN_OR_RETURN(const auto finished, wire::decode<contracts::FinishedArtifacts>(call.body));
  ASSIGN_OR_RETURN(const contracts::Run held, held_run(call));
  TRY(check_sent(call.services, held, finished.items));
  const Status saved = call.services.store.write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(contracts::Run run, txn.run_by_uid(call.param("uid")));
    TRY(runs::add_finished(run, finished));
    return store::save_run(txn, run, {});
  });
  if (!saved.ok()) return saved.error();
  return json_response(wire::Value::Object{});
}

}  // namespace paddock::api
