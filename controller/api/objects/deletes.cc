#include "controller/api/objects/deletes.h"

namespace paddock::api {

contracts::ObjectMeta known_metadata(const store::Key& key, const store::ObjectHead& head) {
  contracts::ObjectMeta meta;
  meta.name = key.name;
  meta.name_space = key.name_space;
  meta.uid = head.uid;
  meta.resource_version = std::to_string(head.resource_version);
  return meta;
}

}  // namespace paddock::api
