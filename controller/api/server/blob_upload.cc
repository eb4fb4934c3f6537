#include "controller/api/server/blob_upload.h"

#include "common/base/crash_point.h"
#include "common/base/log.h"
#include "common/base/text.h"
#include "common/cas/blobs.h"
#include "common/cas/bundle.h"
#include "common/compression/compression.h"
#include "controller/api/server/documents.h"
#include "controller/workspaces/blob_intake.h"
#include "controller/workspaces/shown_blobs.h"
#include "controller/workspaces/stored_bytes.h"

namespace paddock::api {
namespace {

struct Upload {
  int64_t size = 0;  // of the content, or -1
  bool compressed = false;
};

Result<Upload> read_upload(const Call& call) {
  const BodyReader* body = call.request.body;
  const std::optional<std::string> compression = call.request.parameter("compression");
  if (!compression) return Upload{body == nullptr ? 0 : body->length(), false};
  if (*compression != compression::kZstd) {
    return invalid_argument("COMPRESSION_UNSUPPORTED",
                            "blobs are sent as they are, or with compression=zstd", "compression");
  }
  const auto size = parse_integer<int64_t>(call.request.parameter("size").value_or(""));
  if (!size || *size < 0) {
    return invalid_argument("LENGTH_REQUIRED",
                            "say how many bytes the blob has when it is not compressed: size=N",
                            "size");
  }
  return Upload{*size, true};
}

using Take = std::function<Status(std::string_view)>;

Status stream_upload(BodyReader* body, const Upload& upload, size_t limit, const Take& take) {
  if (body == nullptr && !upload.compressed) return {};
  if (!upload.compressed) return body->stream(limit, take);
  compression::Decompressor content(upload.size);
  if (body != nullptr) {
    TRY(body->stream(limit, [&](std::string_view piece) { return content.append(piece, take); }));
  }
  return content.finish();
}

using RoomPtr = std::unique_ptr<workspaces::StoredBytes::Room>;

// One blob that is being received from a caller who may store in this namespace.
struct Incoming {
  const std::string& name_space;
  const cas::Digest& digest;
  int64_t size;
  cas::Durability durability;
  bool shown;
};

// Reserves room in the namespace's quota. None is needed for a file that the namespace has shown
// and that is here, since it counts already, nor for one that will be refused for its size.
Result<RoomPtr> room_for(const Services& services, const Incoming& blob) {
  const bool counted = blob.shown && services.shown_blobs->has(blob.name_space, blob.digest) &&
                       services.blobs.has(blob.digest);
  if (counted || blob.size < 0 || blob.size > services.intake.limits().max_blob) return RoomPtr();
  return services.stored->take(blob.name_space, blob.size);
}

// A folder that is not there, or may not be written, is the storage's fault and nothing that a
// sender asked for wrongly: its file may be sent again. (What a disk says is told by the pipeline.)
Status of_storage(Status stored) {
  if (stored.ok() || stored.error().reason != "SYSTEM_ERROR") return stored;
  if (stored.error().code == Code::kResourceExhausted) return stored;
  log_error("a file could not be stored", {{"error", stored.error().describe()}});
  return Error{Code::kUnavailable, "STORE_IO",
               "the controller's storage for files cannot be used now; nothing of this file was "
               "kept, send it again once its operator has mended it"};
}

Status take_in(const Services& services, const Incoming& blob,
               const workspaces::BlobSource& source) {
  ASSIGN_OR_RETURN(const RoomPtr room, room_for(services, blob));
  TRY(of_storage(
      services.intake.receive(blob.digest, blob.size, source, blob.durability, blob.shown)));
  if (room) room->keep(blob.digest);
  services.shown_blobs->add(blob.name_space, blob.digest);
  PADDOCK_CRASH_POINT("blob-stored");
  return {};
}

}  // namespace

Result<Response> receive_blob(Call& call, const std::string& name_space, cas::Durability durability,
                              bool shown) {
  ASSIGN_OR_RETURN(const Upload upload, read_upload(call));
  const auto limit = static_cast<size_t>(call.services.intake.limits().max_blob);
  TRY(take_in(
      call.services, {name_space, call.param("digest"), upload.size, durability, shown},
      [&](const Take& take) { return stream_upload(call.request.body, upload, limit, take); }));
  return json_response(wire::Value::Object{{"digest", call.param("digest")}, {"size", upload.size}},
                       201);
}

Result<Response> receive_bundle(Call& call, const std::string& name_space,
                                const std::function<bool(const cas::Digest&)>& at_hand) {
  ASSIGN_OR_RETURN(const Upload upload, read_upload(call));
  if (std::cmp_greater(upload.size, cas::kBundleBytes)) {
    return Error{Code::kTooLarge, "BODY_TOO_LARGE",
                 cat("a bundle may have at most ", cas::kBundleBytes, " bytes")};
  }
  int64_t stored = 0;
  const auto store = [&](const cas::Digest& digest, std::string_view content) -> Status {
    TRY(take_in(call.services,
                {name_space, digest, static_cast<int64_t>(content.size()), cas::Durability::kLater,
                 at_hand(digest)},
                [&](const Take& take) { return take(content); }));
    ++stored;
    return {};
  };
  cas::BundleReader blobs;
  TRY(stream_upload(call.request.body, upload, cas::kBundleBytes,
                    [&](std::string_view piece) { return blobs.append(piece, store); }));
  TRY(blobs.finish());
  return json_response(wire::Value::Object{{"stored", stored}}, 201);
}

}  // namespace paddock::api
