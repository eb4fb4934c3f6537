#include "controller/app/self_description.h"

#include <unistd.h>

#include <optional>

#include "common/os/file.h"
#include "common/os/process.h"
#include "common/wire/json.h"

namespace paddock::app {

Result<SelfDescription> write_self(const std::string& data_dir, const std::string& url, int port,
                                   Random& random) {
  const std::optional<os::ProcessIdentity> process = os::identify(::getpid());
  if (!process) return Error{Code::kInternal, "NO_IDENTITY", "this process cannot be identified"};
  SelfDescription self{os::join_path(data_dir, "controller.json"), make_uuid(random)};
  const wire::Value document = wire::Value::Object{{"url", url},
                                                   {"port", port},
                                                   {"pid", process->pid},
                                                   {"startTicks", process->start_ticks},
                                                   {"bootId", process->boot_id},
                                                   {"nonce", self.nonce}};
  TRY(os::write_file_atomic(self.path, wire::to_pretty_json(document), 0600));
  return self;
}

void remove_self(const SelfDescription& self) {
  const Result<std::string> text = os::read_file(self.path);
  if (!text) return;
  const Result<wire::Value> document = wire::parse_json(*text);
  if (document && document->text("nonce") == self.nonce) ::unlink(self.path.c_str());
}

}  // namespace paddock::app
