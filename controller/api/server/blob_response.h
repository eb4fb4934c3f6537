// A stored blob as an answer: streamed from its file with its exact length.
#pragma once

#include <vector>

#include "controller/api/server/http.h"
#include "controller/api/server/services.h"

namespace paddock::api {

// Nothing in it is ever shown by a browser as part of this server: octet-stream, nosniff,
// attachment when `file_name` is given. 304 if the client has this digest. NotFound
// (BLOB_NOT_FOUND); Unavailable (BLOB_DAMAGED): what is not what its digest says is never sent.
Result<Response> blob_response(const Request& request, Services& services,
                               const cas::Digest& digest, std::string_view file_name);

// The same with its media type, for what may be shown; the caller adds the headers that confine it.
// Video and audio may be asked for in part: 206, or 416 with the size.
Result<Response> media_response(const Request& request, Services& services,
                                const cas::Digest& digest, std::string_view mime);

// A bundle (common/cas/bundle.h) of those `digests` that fit into one and can be read; compressed
// if the query asks for it. InvalidArgument (COMPRESSION_UNSUPPORTED).
Result<Response> bundle_response(const Request& request, Services& services,
                                 std::vector<cas::Digest> digests);

}  // namespace paddock::api
