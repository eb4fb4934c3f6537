#include "controller/projects/export_manifest.h"

PADDOCK_INSTANTIATE_CODEC(paddock::projects::ArtifactSidecar);
PADDOCK_INSTANTIATE_CODEC(paddock::projects::ExportManifest);
