// The tokens with which somebody can begin: in the data folder, tokens/admin, enroll and execute.
#pragma once

#include "common/base/random.h"
#include "common/base/result.h"
#include "controller/app/config.h"
#include "controller/store/store.h"

namespace paddock::app {

// At the first start: an administrator's and an enrolment token, each in a file of mode 0600; only
// hashes are stored. A token whose file is gone is made anew, and the old one revoked. Where
// config.enroll_token says no there is none for enrolment, and an older one is revoked. Where a
// port of POST /execute asks for a token, there is one that opens that alone.
Status prepare_tokens(store::Store& store, const Config& config, Random& random);

}  // namespace paddock::app
