#include "node-agent/sandbox/plan/program_head.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/base/text.h"

namespace paddock::sandbox {
namespace {

constexpr std::string_view kElf64 =
    "\x7f"
    "ELF\x02";
constexpr uint32_t kInterpreter = 3;
constexpr uint32_t kNote = 4;
constexpr uint32_t kUnwinding = 0x6474e550;
constexpr uint32_t kStack = 0x6474e551;

template <class T>
std::optional<T> number_at(std::string_view bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

template <class T>
void put_number(T value, uint64_t offset, std::string& bytes) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

struct Segment {
  uint64_t header = 0;  // where the file describes it
  uint32_t type = 0;
  uint64_t offset = 0;
  uint64_t size = 0;
};
constexpr uint64_t kOffsetField = 8;
constexpr uint64_t kSizeField = 32;

// The segments of a 64-bit ELF file, as far as these bytes tell. Programs of another class cannot
// run in a sandbox at all.
std::vector<Segment> segments_of(std::string_view bytes) {
  std::vector<Segment> out;
  const auto table = number_at<uint64_t>(bytes, 32);
  const auto entry_bytes = number_at<uint16_t>(bytes, 54);
  const auto entries = number_at<uint16_t>(bytes, 56);
  if (!bytes.starts_with(kElf64) || !table || !entry_bytes || !entries || *table > bytes.size())
    return out;
  for (uint64_t i = 0; i < *entries; ++i) {
    const uint64_t at = *table + i * *entry_bytes;
    const auto type = number_at<uint32_t>(bytes, at);
    const auto offset = number_at<uint64_t>(bytes, at + kOffsetField);
    const auto size = number_at<uint64_t>(bytes, at + kSizeField);
    if (!type || !offset || !size) break;
    out.push_back({at, *type, *offset, *size});
  }
  return out;
}

std::string elf_interpreter(std::string_view bytes) {
  const std::vector<Segment> segments = segments_of(bytes);
  const auto names_it = std::ranges::find(segments, kInterpreter, &Segment::type);
  if (names_it == segments.end() || names_it->offset > bytes.size() ||
      names_it->size > bytes.size() - names_it->offset)
    return {};
  const std::string_view text = bytes.substr(names_it->offset, names_it->size);
  return std::string(text.substr(0, text.find('\0')));
}

// The line that the loader and its programs miss least: it has an interpreter already, or the id of
// its build, which comes last of its notes and which debuggers ask for.
const Segment* least_missed(const std::vector<Segment>& segments) {
  const auto first = std::ranges::find(segments, kInterpreter, &Segment::type);
  if (first != segments.end()) return &*first;
  for (const uint32_t type : std::array{kNote, kStack, kUnwinding}) {
    const auto last = std::find_if(segments.rbegin(), segments.rend(),
                                   [&](const Segment& each) { return each.type == type; });
    if (last != segments.rend()) return &*last;
  }
  return nullptr;
}

}  // namespace

ProgramHead read_program_head(std::string_view bytes) {
  if (bytes.starts_with(kElf64)) return {false, elf_interpreter(bytes)};
  if (!bytes.starts_with("#!")) return {};
  const std::string_view line = trim(bytes.substr(2, bytes.find('\n') - 2));
  return {true, std::string(line.substr(0, line.find_first_of(" \t")))};
}

std::optional<std::string> interpreter_only(std::string loader) {
  using namespace std::string_view_literals;
  constexpr std::string_view kFolder = "/\0"sv;
  const std::vector<Segment> segments = segments_of(loader);
  const Segment* const line = least_missed(segments);
  if (line == nullptr) return std::nullopt;
  put_number(kInterpreter, line->header, loader);
  put_number(uint64_t{loader.size()}, line->header + kOffsetField, loader);
  put_number(uint64_t{kFolder.size()}, line->header + kSizeField, loader);
  loader += kFolder;
  if (elf_interpreter(loader) != "/") return std::nullopt;  // its parts lie over each other
  return loader;
}

}  // namespace paddock::sandbox
