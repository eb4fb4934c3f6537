#include "controller/api/handlers/workspaces/volume_kind.h"

namespace paddock::api {

Error KindTraits<contracts::Volume>::not_creatable() {
  return {Code::kNotFound, "VOLUME_NOT_FOUND",
          "there is no such volume; volumes come into being when runs publish them"};
}

}  // namespace paddock::api
