#include "controller/api/handlers/access/first_tokens.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/base/log.h"
#include "common/base/text.h"
#include "common/contracts/access_token.h"
#include "common/contracts/enrollment.h"
#include "common/os/file.h"
#include "controller/api/server/authenticate.h"
#include "controller/auth/token.h"

namespace paddock::api {
namespace {

struct FirstToken {
  const char* file;
  std::string_view prefix;
  const char* subject;
  std::vector<std::string> scopes;
};

// Revokes the tokens that this file made: those with its subject and its scopes. People may use the
// same subject for tokens of their own.
Status revoke(store::Store& store, const FirstToken& first) {
  return store.write([&](store::WriteTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const std::vector<store::TokenRecord> tokens, txn.tokens());
    for (store::TokenRecord token : tokens) {
      if (token.subject != first.subject || token.scopes != first.scopes || token.revoked) continue;
      token.revoked = true;
      TRY(txn.put_token(token));
    }
    return {};
  });
}

// Whether the file holds a token that the store knows. What cannot be read now may be a good one,
// which is not to be revoked.
Result<bool> is_valid(store::Store& store, const std::string& path) {
  const Result<std::string> secret = os::read_file(path);
  if (!secret && secret.error().code == Code::kNotFound) return false;
  if (!secret) return secret.error();
  ASSIGN_OR_RETURN(const auto record, store.token_by_hash(auth::token_hash(trim(*secret))));
  return record && !record->revoked;
}

// Kept for good, as records of tokens are not.
std::string made_setting(const FirstToken& first) { return cat("first-token/", first.file); }

// The secret in the file that somebody gave: the first controller to lead makes it known. Never
// again: it may have been revoked since.
Result<std::string> given_secret(store::Store& store, const std::string& path,
                                 const FirstToken& first, const std::string& made) {
  ASSIGN_OR_RETURN(const bool given, os::is_there(path));
  if (!given) return std::string();
  ASSIGN_OR_RETURN(const std::string text, os::read_file(path));
  std::string secret(trim(text));
  if (secret.size() != made.size() || !secret.starts_with(first.prefix)) return std::string();
  bool was_there = false;
  TRY(store.read([&](store::ReadTxn& txn) -> Status {
    ASSIGN_OR_RETURN(const auto made_before, txn.setting(made_setting(first)));
    ASSIGN_OR_RETURN(const std::vector<store::TokenRecord> tokens, txn.tokens());
    was_there = made_before || std::ranges::any_of(tokens, [&](const store::TokenRecord& each) {
                  return each.subject == first.subject && each.scopes == first.scopes;
                });
    return {};
  }));
  return was_there ? std::string() : secret;
}

Status prepare_token(store::Store& store, const FirstTokens& wanted, const FirstToken& first,
                     Random& random) {
  const std::string path = os::join_path(wanted.folder, first.file);
  ASSIGN_OR_RETURN(const bool valid, is_valid(store, path));
  if (valid) return {};
  auth::MintedToken token = auth::mint_token(random, first.prefix);
  std::string given;
  if (wanted.given) {
    ASSIGN_OR_RETURN(given, given_secret(store, path, first, token.secret));
  }
  if (!given.empty()) {
    token.secret = given;
    token.hash = auth::token_hash(given);
  }
  TRY(revoke(store, first));
  const Status stored = store.write([&](store::WriteTxn& txn) -> Status {
    TRY(txn.put_setting(made_setting(first), token.id));
    return txn.put_token(token_record(token, first.subject, first.scopes));
  });
  TRY(stored);
  TRY(os::write_file_atomic(path, token.secret + "\n", 0600));
  log_info("made a token", {{"subject", first.subject}, {"id", token.id}});
  return {};
}

// The store first: a file whose token is refused harms nobody.
Status end_token(store::Store& store, const FirstTokens& wanted, const FirstToken& first) {
  TRY(revoke(store, first));
  if (::unlink(os::join_path(wanted.folder, first.file).c_str()) == 0) {
    log_info("revoked a token and removed its file", {{"subject", first.subject}});
  } else if (errno != ENOENT) {
    return system_error("removing the file of a token", errno);
  }
  return {};
}

}  // namespace

Status prepare_tokens(store::Store& store, const FirstTokens& wanted, Random& random) {
  TRY(os::make_dirs(wanted.folder, 0700));
  TRY(prepare_token(store, wanted,
                    {"admin", contracts::kAccessTokenPrefix, "admin", auth::admin_scopes()},
                    random));
  const FirstToken enroll{"enroll", contracts::kEnrollTokenPrefix, "enroll", auth::enroll_scopes()};
  TRY(wanted.enroll ? prepare_token(store, wanted, enroll, random)
                    : end_token(store, wanted, enroll));
  const FirstToken execute{"execute", contracts::kAccessTokenPrefix, "code-execution", {"execute"}};
  return wanted.execute ? prepare_token(store, wanted, execute, random) : Status();
}

}  // namespace paddock::api
