// The answer of GET /readyz, and of `paddock ready --json`: whether a controller takes work. No
// path, mode or name of its host is in it, as it needs no token.
#pragma once

#include "common/contracts/version.h"
#include "common/wire/value.h"

namespace paddock::contracts {

inline wire::Value readiness(bool ready) {
  return wire::Value::Object{{"ok", ready}, {"ready", ready}, {"version", kProgramVersion}};
}

}  // namespace paddock::contracts
