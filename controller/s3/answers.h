// What an S3 server's answers say. Pure. Nothing in them is trusted: keys must be those that were
// asked for, sizes and times numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/base/time.h"
#include "common/http/http_client.h"

namespace paddock::s3 {

struct Object {
  std::string key;
  int64_t size = 0;
  WallTime modified;
};

// No server has larger ones: what says that it is would only break sums of sizes.
inline constexpr int64_t kLargestObject = int64_t{1} << 46;

struct Page {
  std::vector<Object> objects;
  std::string next;  // what to continue with; empty: that was all
};
// A page of ListObjectsV2 for `prefix`. BUCKET_BAD_ANSWER.
Result<Page> read_page(std::string_view body, std::string_view prefix);

struct Upload {
  std::string key;
  std::string id;
  WallTime begun;
};
// The uploads in parts that have not ended, the first thousand. BUCKET_BAD_ANSWER.
Result<std::vector<Upload>> read_uploads(std::string_view body, std::string_view prefix);
// The upload that was begun. BUCKET_BAD_ANSWER.
Result<std::string> read_upload_id(std::string_view body);
// A completed upload is 200 also where it failed: then the body is an error. BUCKET_BAD_ANSWER
Status check_completed(const http::Response& response);

// Why a request did not succeed; always an error that may pass, as nothing of it is the fault of
// a caller that wants a blob: Unavailable with
//   BUCKET_NOT_FOUND, BUCKET_DENIED, BUCKET_WRONG_REGION, BUCKET_CLOCK_SKEW, BUCKET_BUSY,
//   BUCKET_FULL, BUCKET_FAILED
// or NotFound, OBJECT_NOT_FOUND.
Error fault_of(const http::Response& response);
// The same for a request that got no answer: BUCKET_NOT_TRUSTED, BUCKET_UNREACHABLE, BUCKET_SLOW,
// BUCKET_BAD_ANSWER.
Error fault_of(const Error& transport);
// Empty: it has none of this name, which is in lower case.
std::string header_of(const http::Response& response, const std::string& name);
// How long the server asks a client to wait before it tries again; at most `most`.
std::optional<Millis> retry_after(const http::Response& response, Millis most);

}  // namespace paddock::s3
