#include "common/contracts/export_manifest.h"

PADDOCK_INSTANTIATE_CODEC(paddock::contracts::ArtifactSidecar);
PADDOCK_INSTANTIATE_CODEC(paddock::contracts::ExportManifest);
