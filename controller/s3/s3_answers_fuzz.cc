// Any bytes are the answer of an S3 server or are refused; what is taken from one is bounded and as
// it was asked for.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "controller/s3/answers.h"
#include "controller/s3/xml.h"

using paddock::Code;
using paddock::Error;
namespace http = paddock::http;
namespace s3 = paddock::s3;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string body(reinterpret_cast<const char*>(data), size);
  if (const auto page = s3::read_page(body, "p/")) {
    for (const s3::Object& each : page->objects)
      if (!each.key.starts_with("p/") || each.size < 0) std::abort();
    if (page->next.size() > 4096) std::abort();
  }
  if (const auto uploads = s3::read_uploads(body, "p/")) {
    for (const s3::Upload& each : *uploads)
      if (!each.key.starts_with("p/") || each.id.empty()) std::abort();
  }
  if (const auto id = s3::read_upload_id(body); id && id->empty()) std::abort();
  for (const int status : {200, 301, 400, 403, 404, 503}) {
    http::Response response;
    response.status = status;
    response.body = body;
    const Error fault = s3::fault_of(response);
    if (fault.code != Code::kUnavailable && fault.code != Code::kNotFound) std::abort();
    if (fault.reason.empty() || fault.message.size() > 300) std::abort();
    (void)s3::check_completed(response);
  }
  return 0;
}
