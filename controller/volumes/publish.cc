#include "controller/volumes/publish.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/cas/tree.h"
#include "common/contracts/audit.h"
#include "controller/volumes/resolve.h"

namespace paddock::volumes {
namespace {

using contracts::Artifact;
using contracts::Run;
using contracts::Volume;
using contracts::VolumeVersion;

// Turns an error of the disk or the bucket into one that is not the run's fault.
Error not_now(Error error) {
  error.code = Code::kUnavailable;
  return error;
}

// A node says what its run left; what it says of a blob must be so here.
Status check_blob(const cas::Blobs& blobs, const Artifact& each) {
  const bool used = blobs.use(each.digest);  // it stays until the version is recorded
  const Result<int64_t> size = blobs.size(each.digest);
  if (!size && size.error().code != Code::kNotFound) return not_now(size.error());
  if (!size || *size != each.size)
    return Error{Code::kFailedPrecondition, "ARTIFACT_MISSING",
                 cat("the content of ", each.path, " did not arrive")};
  if (used) return {};
  return Error{Code::kUnavailable, "STORE_IO",
               cat("the content of ", each.path, " cannot be kept for a version")};
}

Result<Offer> offer_of(const cas::Blobs& blobs, const std::vector<Artifact>& artifacts) {
  ASSIGN_OR_RETURN(const contracts::Tree tree, tree_of(artifacts));
  for (const Artifact& each : artifacts) TRY(check_blob(blobs, each));
  (void)blobs.use(cas::tree_root(tree));
  const Result<contracts::Digest> root = blobs.put(cas::canonical_tree(tree));
  if (!root) return not_now(root.error());
  Offer offer;
  offer.root = *root;
  offer.files = static_cast<int64_t>(tree.entries.size());
  for (const contracts::TreeEntry& entry : tree.entries) offer.bytes += entry.size;
  return offer;
}

bool says_succeeded(const contracts::RunReport& report) {
  return report.outcome && report.outcome->phase == contracts::RunPhase::kSucceeded;
}

// Whether this run is the node's and publishes what it leaves.
Result<bool> publishes(store::ReadTxn& txn, const std::string& node, const std::string& run_uid) {
  ASSIGN_OR_RETURN(const auto run, txn.look_at_run(run_uid));
  return run && !run->spec.publish.empty() && run->status.node_name == node &&
         !contracts::is_terminal(run->status.phase);
}

// The reports that end a run with a version to publish. The store is read only if a run has ended.
Result<std::vector<const contracts::RunReport*>> publishing_reports(
    store::Store& store, const std::string& node,
    const std::vector<contracts::RunReport>& reports) {
  std::vector<const contracts::RunReport*> wanted;
  for (const contracts::RunReport& report : reports)
    if (says_succeeded(report)) wanted.push_back(&report);
  if (wanted.empty()) return wanted;
  TRY(store.read([&](store::ReadTxn& txn) -> Status {
    std::vector<const contracts::RunReport*> publishing;
    for (const contracts::RunReport* report : wanted) {
      ASSIGN_OR_RETURN(const bool publishes_it, publishes(txn, node, report->run_uid));
      if (publishes_it) publishing.push_back(report);
    }
    wanted = std::move(publishing);
    return {};
  }));
  return wanted;
}

Volume new_volume(const Run& run, const std::string& uid, WallTime now) {
  Volume volume;
  volume.metadata.name = run.spec.publish;
  volume.metadata.name_space = run.metadata.name_space;
  volume.metadata.uid = uid;
  volume.metadata.generation = 1;
  volume.metadata.creation_timestamp = wire::Timestamp{now};
  return volume;
}

VolumeVersion version_of(const Run& run, const Offer& offer, WallTime now) {
  VolumeVersion version;
  version.root = offer.root;
  version.files = offer.files;
  version.bytes = offer.bytes;
  version.run = run.metadata.name;
  version.run_uid = run.metadata.uid;
  version.published_at = wire::Timestamp{now};
  return version;
}

// Older versions than `oldest` are no more.
contracts::AuditEvent event_of(const Run& run, const Volume& volume, WallTime now) {
  const VolumeVersion& version = volume.status.versions.back();
  contracts::AuditEvent event;
  event.time = {now};
  event.type = contracts::audit::kVolumePublish;
  event.subject = cat("node:", run.status.node_name);
  event.name_space = volume.metadata.name_space;
  event.object = cat("volumes/", volume.metadata.name);
  event.session_id = run.metadata.uid;
  event.command_id = cat(run.metadata.uid, "/", run.status.attempt);
  event.details = {{"version", std::to_string(version.version)},
                   {"root", version.root},
                   {"files", std::to_string(version.files)},
                   {"bytes", std::to_string(version.bytes)},
                   {"run", run.metadata.name},
                   {"oldest", std::to_string(volume.status.versions.front().version)}};
  return event;
}

}  // namespace

Result<contracts::Tree> tree_of(const std::vector<Artifact>& artifacts) {
  if (artifacts.empty()) {
    return invalid_argument("NOTHING_TO_PUBLISH",
                            "no file came back from its artifact folders (with `.` only those "
                            "that are new or changed do)");
  }
  contracts::Tree tree;
  for (const Artifact& each : artifacts)
    tree.entries.push_back({each.path, each.digest, each.size, each.executable});
  std::ranges::sort(tree.entries, {}, &contracts::TreeEntry::path);
  return wire::decode<contracts::Tree>(wire::encode(tree));  // the rules that every tree keeps
}

Result<Publishing> prepare(store::Store& store, const cas::Blobs& blobs, const std::string& node,
                           const std::vector<contracts::RunReport>& reports,
                           const VolumeLimits& limits, Random& random) {
  Publishing out{{}, limits};
  ASSIGN_OR_RETURN(const auto ended, publishing_reports(store, node, reports));
  for (const contracts::RunReport* report : ended) {
    Result<Offer> offer = offer_of(blobs, report->outcome->artifacts);
    if (offer) offer->volume_uid = make_uuid(random);
    out.offers.emplace(report->run_uid, std::move(offer));
  }
  return out;
}

int64_t add_version(Volume& volume, VolumeVersion version, int64_t keep) {
  std::vector<VolumeVersion>& all = volume.status.versions;
  version.version = all.empty() ? 1 : all.back().version + 1;
  all.push_back(std::move(version));
  const auto most = static_cast<size_t>(std::max<int64_t>(keep, 1));
  if (all.size() > most) all.erase(all.begin(), all.end() - static_cast<ptrdiff_t>(most));
  return all.back().version;
}

Result<int64_t> publish(store::WriteTxn& txn, const Run& run, const Offer& offer,
                        const VolumeLimits& limits, WallTime now) {
  TRY(check_room(txn, run, limits));
  ASSIGN_OR_RETURN(std::optional<Volume> known,
                   txn.find<Volume>({run.metadata.name_space, run.spec.publish}));
  Volume volume = known ? std::move(*known) : new_volume(run, offer.volume_uid, now);
  const int64_t number = add_version(volume, version_of(run, offer, now), limits.keep_versions);
  TRY(known ? txn.update(volume) : txn.create(volume));
  contracts::AuditEvent event = event_of(run, volume, now);
  TRY(txn.append_audit(event));
  return number;
}

}  // namespace paddock::volumes
