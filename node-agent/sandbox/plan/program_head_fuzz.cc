// The first bytes of a program that a policy names, which a hostile environment may have written:
// its interpreter is a piece of them.
#include "common/base/result.h"
#include "node-agent/sandbox/plan/program_head.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace paddock;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const sandbox::ProgramHead head = sandbox::read_program_head(bytes);
  if (bytes.find(head.interpreter) == std::string_view::npos)
    panic("an interpreter that the program does not name");
  if (head.script != bytes.starts_with("#!")) panic("a script is told from a program by its start");
  const auto copy = sandbox::interpreter_only(std::string(bytes));
  if (copy && sandbox::read_program_head(*copy).interpreter != "/")
    panic("a loader that the kernel would start by itself");
  return 0;
}
