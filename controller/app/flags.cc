#include "controller/app/flags.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/base/program_options.h"

namespace paddock::app {
namespace {

struct Flag {
  ProgramOption option;
  std::string_view variable = {};  // that it stands for; empty: none
};
constexpr std::array kFlags = {
    Flag{{"--config", "FILE"}},
    Flag{{"--data-dir", "DIR"}, "PADDOCK_CONTROLLER_DATA_DIR"},
    Flag{{"--host", "ADDRESS"}, "PADDOCK_CONTROLLER_HOST"},
    Flag{{"--port", "N"}, "PADDOCK_CONTROLLER_PORT"},
    Flag{{"--unix-socket", "FILE"}, "PADDOCK_CONTROLLER_UNIX_SOCKET"},
    Flag{{"--plain-http", ""}, "PADDOCK_CONTROLLER_PLAIN_HTTP_ON_LOOPBACK"},
    Flag{{"--version", ""}},
    Flag{{"--help", ""}},
    Flag{{"--restore", "FILE"}},
    Flag{{"--migrate-store", "postgres|sqlite"}},
    Flag{{"--check", "[=json]"}},
    Flag{{"--make-shared-files", "DIR"}},
};

std::vector<ProgramOption> program_options() {
  std::vector<ProgramOption> out;
  for (const Flag& each : kFlags) out.push_back(each.option);
  return out;
}

Error bad(std::string message) { return invalid_argument("FLAG_INVALID", std::move(message)); }

void set_variable(Flags& flags, const Flag& flag, const std::string& value) {
  flags.overrides[std::string(flag.variable)] = flag.option.value.empty() ? "true" : value;
  flags.names[std::string(flag.variable)] = std::string(flag.option.name);
}

Status take(Flags& flags, std::string_view name, const std::string& value) {
  if (name == "--help") flags.help = true;
  if (name == "--version") flags.version = true;
  if (name == "--check") flags.check = value.empty() ? Flags::Check::kText : Flags::Check::kJson;
  if (name == "--config") flags.config_file = value;
  if (name == "--restore") flags.restore = value;
  if (name == "--make-shared-files") flags.make_shared_files = value;
  if (name != "--migrate-store") return {};
  for (const auto to : {store::MoveTo::kPostgres, store::MoveTo::kSqlite}) {
    if (value == store::word_of(to)) flags.migrate_store = to;
  }
  if (flags.migrate_store) return {};
  return bad("--migrate-store takes where the store is moved to: postgres or sqlite");
}

}  // namespace

Result<Flags> parse_flags(const std::vector<std::string>& args) {
  ASSIGN_OR_RETURN(const std::vector<GivenOption> given,
                   read_options(args, program_options(), "FLAG_INVALID"));
  Flags flags;
  for (const GivenOption& each : given) {
    const auto flag =
        std::ranges::find(kFlags, each.name, [](const Flag& row) { return row.option.name; });
    if (flag->variable.empty()) {
      TRY(take(flags, each.name, each.value));
    } else {
      set_variable(flags, *flag, each.value);
    }
  }
  return flags;
}

std::string usage() {
  return usage_of("paddock-controller", program_options()) +
         "Serves the API over TLS, on loopback unless told otherwise. SIGTERM stops it.\n"
         "--check says of all that a start with this configuration needs (folders, TLS, ports,\n"
         "database, bucket) whether it is well, and how to mend it; nothing is changed. Ends with "
         "1\n"
         "if something is not. --check=json for programs.\n"
         "--restore puts a backup in the place of the store and ends; the former store is kept\n"
         "beside it. FILE is a path, or the name given to `paddock admin backup`.\n"
         "--migrate-store moves the store to the empty database of store.postgres.urlFile, or "
         "back\n"
         "from there to a new paddock.db in the data folder, and ends; the controller is stopped.\n"
         "--make-shared-files fills a new folder with what several controllers of one database "
         "have\n"
         "in common (store.postgres.sharedDir), before the first of them starts, and ends.\n"
         "Every key of the file, and its PADDOCK_CONTROLLER_… variable: controller.example.yaml\n";
}

}  // namespace paddock::app
