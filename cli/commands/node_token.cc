// `paddock node token`: what an operator hands to a host that shall join.
#include "cli/client/name_choice.h"
#include "cli/client/watching.h"
#include "cli/commands/commands.h"
#include "cli/options/option_values.h"
#include "cli/terminal/exit_codes.h"
#include "cli/terminal/safe_output.h"
#include "common/base/percent.h"
#include "common/client/join_token.h"
#include "common/client/requests.h"
#include "common/contracts/api_paths.h"
#include "common/contracts/enrollment.h"

namespace paddock::cli {
namespace {

// The line to type on the host; `ca` says whether the token brings the CA along.
std::string join_line(const std::string& url, const std::string& node, const std::string& token,
                      bool ca) {
  return cat("paddock node join --server ", url, " --name ", node, ca ? "" : " --ca-file CA.pem",
             " --token ", token);
}

Result<int> make_token(const Watcher& watcher, const Parsed& parsed, const Env& env) {
  ASSIGN_OR_RETURN(const auto ttl, duration_option(parsed, "ttl"));
  contracts::EnrollTokenRequest request;
  if (ttl) request.ttl = wire::Duration{*ttl};
  ASSIGN_OR_RETURN(const std::string node, name_of(Kind::kNode, parsed.text("NODE")));
  ASSIGN_OR_RETURN(const wire::Value answer,
                   watcher.client.send("POST", cat(contracts::paths::node(node), "/enroll-token"),
                                       wire::encode(request)));
  const std::string& ca = watcher.endpoint.ca_pem;
  const std::string token = client::format_join_token({answer.text("token"), ca});
  env.out.write(cat(printable(token), "\n"));
  const std::string url = parsed.text("url", watcher.endpoint.base_url);
  const bool whole = ca.empty() || token.find('.') != std::string::npos;
  env.say(cat("for one host, within ", format_duration(request.ttl.value),
              "; there, as root (on macOS after `sudo -u _paddock`):\n\n  ",
              join_line(printable(url), printable(node), printable(token), whole), "\n"));
  http::Endpoint named;
  named.base_url = url;
  if (client::on_this_host(named))
    env.say("that address is this host's own; --url says by which one the others reach it");
  if (!whole) env.say("the CA has several certificates: copy its file to the host");
  return kExitOk;
}

}  // namespace

int node_token_command(const Parsed& parsed, Env& env) {
  return watch(parsed, env, [&](Watcher& watcher) { return make_token(watcher, parsed, env); });
}

}  // namespace paddock::cli
