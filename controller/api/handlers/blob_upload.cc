#include "controller/api/handlers/blob_upload.h"

#include "controller/api/documents.h"

namespace paddock::api {

Result<Response> receive_blob(Call& call, cas::Durability durability) {
  BodyReader* body = call.request.body;
  const int64_t length = body == nullptr ? 0 : body->length();
  const auto limit = static_cast<size_t>(call.services.intake.limits().max_blob);
  TRY(call.services.intake.receive(
      call.param("digest"), length,
      [&](const std::function<Status(std::string_view)>& take) -> Status {
        if (body == nullptr) return {};
        return body->stream(limit, take);
      },
      durability));
  return json_response(wire::Value::Object{{"digest", call.param("digest")}, {"size", length}},
                       201);
}

}  // namespace paddock::api
