#include "controller/api/server/blob_upload.h"

#include "common/base/crash_point.h"
#include "common/base/text.h"
#include "common/compression/compression.h"
#include "controller/api/server/documents.h"

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

// None for what the namespace has shown and what is here, which costs it no more than it does
// already, and for what is refused by its size.
Result<RoomPtr> room_for(const Call& call, const std::string& name_space, int64_t size,
                         bool shown) {
  const std::string& digest = call.param("digest");
  const Services& services = call.services;
  const bool counted =
      shown && services.shown_blobs->has(name_space, digest) && services.blobs.has(digest);
  if (counted || size < 0 || size > services.intake.limits().max_blob) return RoomPtr();
  return services.stored->take(name_space, size);
}

}  // namespace

Result<Response> receive_blob(Call& call, const std::string& name_space, cas::Durability durability,
                              bool shown) {
  ASSIGN_OR_RETURN(const Upload upload, read_upload(call));
  const auto limit = static_cast<size_t>(call.services.intake.limits().max_blob);
  ASSIGN_OR_RETURN(const RoomPtr room, room_for(call, name_space, upload.size, shown));
  TRY(call.services.intake.receive(
      call.param("digest"), upload.size,
      [&](const Take& take) { return stream_upload(call.request.body, upload, limit, take); },
      durability, shown));
  if (room) room->keep(call.param("digest"));
  call.services.shown_blobs->add(name_space, call.param("digest"));
  PADDOCK_CRASH_POINT("blob-stored");
  return json_response(wire::Value::Object{{"digest", call.param("digest")}, {"size", upload.size}},
                       201);
}

}  // namespace paddock::api
