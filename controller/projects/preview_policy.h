// The policies that tell a browser what a workspace's pages may do: run their scripts without an
// origin, show the files beside them, and reach nothing else.
#pragma once

namespace paddock::projects {

// The attribute `sandbox` of a frame that shows a preview.
inline constexpr const char* kFrameSandbox = "allow-scripts allow-forms";
// The content security policy of one document with everything in it.
inline constexpr const char* kExportPolicy = "sandbox allow-scripts";
// The policy of a page and the files beside it: the page shows them, and connects to nothing.
inline constexpr const char* kPagePolicy =
    "sandbox allow-scripts allow-forms; default-src 'self' data: blob: 'unsafe-inline'; "
    "connect-src 'none'; form-action 'none'; base-uri 'none'";
// No directive of a content policy covers WebRTC, which sends packets to an address of the page's
// choice (STUN). The header `connection-allowlist` with this does, where a browser knows it:
// Chromium does, and all frames that the page makes inherit it. Others let such packets out
// (docs/projects.md says so).
inline constexpr const char* kConnections = "(response-origin)";

}  // namespace paddock::projects
