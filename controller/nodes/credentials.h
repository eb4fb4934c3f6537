// Tokens of a node's name: one that enrols it once, and its own credential's replacement.
//
// An enrolment token belongs to the identity that uses it first: that host may use it again until
// it expires, as its answer may have been lost; for everybody else it is spent. A new credential is
// fresh until it is used; then the older one has another minute, for what is on its way. A node
// that loses a new credential to a crash so still has the older one.
#pragma once

#include <string>

#include "controller/auth/token.h"
#include "controller/nodes/registry.h"

namespace paddock::nodes {

// Stores an enrolment token for `node`. Earlier ones for it end.
Status put_enroll_token(store::Store& store, const std::string& node,
                        const auth::MintedToken& token, WallTime expires,
                        const Record& record = {});
// PermissionDenied (ENROLL_TOKEN_SPENT) if another host used it, or it was revoked meanwhile.
Status use_enroll_token(store::WriteTxn& txn, const std::string& token_id, const std::string& node,
                        const std::string& identity);

// Stores `fresh` as the next credential of the node, which calls with the token `calling`. An
// earlier one that was never used ends. PermissionDenied (CREDENTIAL_REPLACED): `calling` is itself
// being replaced. NotFound (NODE_NOT_FOUND).
Status rotate(store::Store& store, const std::string& node, const std::string& calling,
              const auth::MintedToken& fresh, const Record& record = {});
// The fresh credential `calling` is used for the first time: the older one expires soon.
Status settle(store::Store& store, const std::string& node, const std::string& calling,
              WallTime now, const Record& record = {});

Status revoke_tokens(store::WriteTxn& txn, const std::string& subject);

}  // namespace paddock::nodes
