// Any bytes as bodies that E2B's tools send: an envelope with a message that starts a process, and
// a form of files. What is accepted keeps its promises.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "controller/e2b/commands.h"
#include "controller/e2b/connect.h"
#include "controller/e2b/multipart.h"
#include "controller/e2b/paths.h"

namespace {

using namespace paddock;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_message(std::string_view bytes) {
  const auto message = e2b::one_message(bytes);
  if (!message.ok()) return;
  require(message->object() != nullptr && bytes.size() >= 5);
  const auto again = e2b::one_message(e2b::envelope(*message));
  require(again.ok() && *again == *message);
  if (const auto text = e2b::command_text(*message); text.ok())
    require(text->find('\0') == std::string::npos);
}

void check_form(std::string_view bytes) {
  const auto files = e2b::uploaded_files("multipart/form-data; boundary=x", bytes);
  if (!files.ok()) return;
  require(!files->empty() && files->size() <= e2b::kMostFiles);
  for (const auto& file : *files) {
    require(file.content.data() >= bytes.data());
    require(file.content.data() + file.content.size() <= bytes.data() + bytes.size());
    const auto inner = e2b::inner_path(file.name, "path");
    if (!inner.ok() || inner->empty()) continue;
    require(inner->front() != '/' && ("/" + *inner + "/").find("/../") == std::string::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_message(bytes);
  check_form(bytes);
  return 0;
}
