// Every path of the API, in one place. Names may be anything: they are encoded, so that a wrong one
// is refused as a name and leads nowhere else.
//
//   GET    /livez /readyz /healthz /health /version /metrics   POST /admin/backups   POST /build
//   POST   /execute
//   GET    /api /apis …    discovery; /openapi/v2 /openapi/v3
//   GET    /api/v1/[namespaces/{ns}/]{events|pods}   pods/{name}[/log]: runs as Pods, read-only
//   POST   /apis/{authorization|authentication}.k8s.io/…   what I may do, who I am
//   GET    A/{runs|workspaces|volumes|nodes}  A/namespaces/{ns}/{plural}   ?watch=true&limit=N…
//   POST   A/namespaces/{ns}/{runs|workspaces}   (Idempotency-Key)   A/namespaces/{ns}/plan
//   GET|PUT|PATCH|DELETE A/namespaces/{ns}/{plural}/{name}  A/nodes/{name}
//   GET|PUT|PATCH        …/{name}/status
//   GET    …/runs/{name}/log        ?follow=true&tailLines=N
//   GET    …/runs/{name}/events     SSE; Last-Event-ID or ?after=N
//   POST   …/runs/{name}/cancel     GET …/runs/{name}/artifacts[/{path}]
//   GET    …/workspaces/{name}/{raw|export}/{path} …/export …/preview-url   /preview/{scope}/{path}
//   POST   …/sandboxes/{name}/commands?stream=true  …/commands/{id}/cancel
//   GET|PUT|DELETE …/sandboxes/{name}/files/{path}: raw bytes, or the list of a folder
//   POST   /mcp   GET    /audit  /audit/chain  /audit/checkpoint  A/namespaces/{ns}/audit
//   GET|POST …/workspaces/{name}/tree          PUT …/workspaces/{name}/blobs/{digest}: raw bytes
//   POST   …/workspaces/{name}/blobs: many small ones (common/cas/bundle.h)
//   POST   A/nodes/{name}/{cordon|uncordon|drain}   GET …/drain   PUT …/taints
//   POST   A/nodes/{name}/enroll               enrolment token
//   POST   A/nodes/{name}/synchronize          node credential, as all below
//   POST   A/nodes/{name}/calls
//   GET    A/nodes/{name}/runs/{uid}/tree?volume=NAME      A/nodes/{name}/runs/{uid}/blobs/{digest}
//   POST   A/nodes/{name}/runs/{uid}/blobs     many small ones in one answer
//   PUT    A/nodes/{name}/runs/{uid}/artifacts/{digest}
#pragma once

#include <string>

#include "common/base/percent.h"
#include "common/base/text.h"

namespace paddock::contracts::paths {

inline constexpr const char* kBase = "/apis/paddock.dev/v1alpha1";

inline std::string collection(const std::string& name_space, const std::string& plural) {
  return name_space.empty() ? cat(kBase, "/", plural)
                            : cat(kBase, "/namespaces/", percent_encode(name_space), "/", plural);
}
inline std::string object(const std::string& name_space, const std::string& plural,
                          const std::string& name) {
  return cat(collection(name_space, plural), "/", percent_encode(name));
}
inline std::string run(const std::string& name_space, const std::string& name) {
  return object(name_space, "runs", name);
}
inline std::string workspace(const std::string& name_space, const std::string& name) {
  return object(name_space, "workspaces", name);
}
inline std::string node(const std::string& name) { return object("", "nodes", name); }
inline std::string node_run(const std::string& node_name, const std::string& run_uid) {
  return cat(node(node_name), "/runs/", percent_encode(run_uid));
}

}  // namespace paddock::contracts::paths
