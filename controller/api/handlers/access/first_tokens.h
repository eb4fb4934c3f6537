// The tokens that a new controller has: `admin`, and where they are wanted `enroll` and `execute`.
#pragma once

#include <string>

#include "common/base/random.h"
#include "common/base/result.h"
#include "controller/store/store.h"

namespace paddock::api {

struct FirstTokens {
  std::string folder;    // a file for each, of mode 0600
  bool given = false;    // somebody put the files there: a database that is new takes their tokens
  bool enroll = true;    // any host may join by it
  bool execute = false;  // for POST /execute alone
};

// At the first start: an administrator's token, and those that are wanted; only hashes are stored.
// A token whose file is gone is made anew, and the old one revoked. Where none is wanted for
// enrolment, an older one is revoked.
Status prepare_tokens(store::Store& store, const FirstTokens& wanted, Random& random);

}  // namespace paddock::api
