// What a browser may do with a workspace's pages: run their scripts without an origin, show what is
// beside them, and reach nothing.
#pragma once

namespace paddock::projects {

// The attribute `sandbox` of a frame that shows a preview.
inline constexpr const char* kFrameSandbox = "allow-scripts allow-forms";
// The content security policy of one document with everything in it.
inline constexpr const char* kExportPolicy = "sandbox allow-scripts";
// That of a page and the files beside it: it shows them, and talks to nobody.
inline constexpr const char* kPagePolicy =
    "sandbox allow-scripts allow-forms; default-src 'self' data: blob: 'unsafe-inline'; "
    "connect-src 'none'; form-action 'none'; base-uri 'none'";
// No directive of a content policy covers WebRTC, which sends packets to an address of the page's
// choice (STUN). The header `connection-allowlist` with this does, where a browser knows it:
// Chromium does, and all frames that the page makes inherit it. Others let such packets out
// (docs/projects.md says so).
inline constexpr const char* kConnections = "(response-origin)";

}  // namespace paddock::projects
