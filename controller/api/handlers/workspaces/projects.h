// Workspaces as projects: their files as bytes, what an export holds, one document with everything
// in it, and links that a browser's frame can load. What a browser may do with any of it is said by
// a content security policy: scripts run without an origin, and reach nothing.
#pragma once

#include "controller/api/server/call.h"

namespace paddock::api {

// PATH_INVALID, FILE_NOT_FOUND; RANGE_UNSATISFIABLE for video and audio.
Result<Response> get_raw_file(Call& call);
Result<Response> get_export_manifest(Call& call);
// ?inline=1. INLINE_REQUIRED, MEDIA_TYPE_UNSUPPORTED unless the document is HTML,
// DOCUMENT_TOO_LARGE above 2 MiB, EXPORTS_BUSY.
Result<Response> get_inline_export(Call& call);
// ?file=PATH; the project's entry file unless given. {url, file, csp, iframeSandbox, opaqueOrigin}
Result<Response> get_preview_url(Call& call);
// Without a token: the scope in the path is the credential. PREVIEW_SCOPE_NOT_FOUND.
Result<Response> get_preview(Call& call);

}  // namespace paddock::api
