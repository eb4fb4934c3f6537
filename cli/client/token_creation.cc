#include "cli/client/token_creation.h"

namespace paddock::cli {

Result<wire::Value> create_token(const TokenCreation& creation, Random& random) {
  constexpr int kTries = 3;
  for (int i = 0; i < kTries; ++i) {
    ASSIGN_OR_RETURN(wire::Value made, creation.post(make_uuid(random)));
    if (!made.text(creation.secret).empty()) return made;
    TRY(creation.end(made));
  }
  return Error{
      Code::kUnavailable, "CONNECTION_BROKEN",
      "the answers with a token's secret were lost; none of these tokens is good any more"};
}

}  // namespace paddock::cli
