#include "node-agent/sandbox/command/command_spec.h"

#include <cstring>

namespace paddock::sandbox {
namespace {

class Packer {
 public:
  void number(uint64_t value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out_.append(bytes, sizeof value);
  }
  void text(std::string_view value) {
    number(value.size());
    out_ += value;
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view rest) : rest_(rest) {}
  uint64_t number() {
    uint64_t value = 0;
    const std::string_view bytes = take(sizeof value);
    if (bytes.size() == sizeof value) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number())); }
  // Calls `item` as often as the number that comes next says.
  template <class Item>
  void each(Item&& item) {
    for (uint64_t left = number(); left > 0 && ok_; --left) item();
  }
  bool all_taken() const { return ok_ && rest_.empty(); }

 private:
  std::string_view take(uint64_t bytes) {
    ok_ = ok_ && bytes <= rest_.size();
    if (!ok_) return {};
    const std::string_view out = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return out;
  }

  std::string_view rest_;
  bool ok_ = true;
};

void put_texts(Packer& out, const std::map<std::string, std::string>& texts) {
  out.number(texts.size());
  for (const auto& [name, value] : texts) {
    out.text(name);
    out.text(value);
  }
}

std::map<std::string, std::string> take_texts(Unpacker& in) {
  std::map<std::string, std::string> out;
  in.each([&] {
    std::string name = in.text();
    out[std::move(name)] = in.text();
  });
  return out;
}

}  // namespace

std::string pack(const CommandSpec& spec) {
  Packer out;
  out.number(spec.command.size());
  for (const std::string& word : spec.command) out.text(word);
  put_texts(out, spec.env);
  out.text(spec.workdir);
  out.text(spec.stdin_file);
  out.number(spec.rlimits.size());
  for (const RlimitSetting& setting : spec.rlimits) {
    out.number(static_cast<uint64_t>(setting.resource));
    out.text(setting.name);
    out.number(setting.soft);
    out.number(setting.hard);
  }
  out.number(spec.scratch_folders.size());
  for (const std::string& folder : spec.scratch_folders) out.text(folder);
  put_texts(out, spec.scratch_files);
  out.number(spec.tools.size());
  for (const FileId& tool : spec.tools) {
    out.number(tool.device);
    out.number(tool.inode);
  }
  out.number(spec.processors.size());
  for (const int processor : spec.processors) out.number(static_cast<uint64_t>(processor));
  out.number(spec.no_tcp);
  return out.take();
}

std::optional<CommandSpec> unpack(std::string_view bytes) {
  Unpacker in(bytes);
  CommandSpec out;
  in.each([&] { out.command.push_back(in.text()); });
  out.env = take_texts(in);
  out.workdir = in.text();
  out.stdin_file = in.text();
  in.each([&] {
    RlimitSetting setting;
    setting.resource = static_cast<int>(in.number());
    setting.name = in.text();
    setting.soft = in.number();
    setting.hard = in.number();
    out.rlimits.push_back(std::move(setting));
  });
  in.each([&] { out.scratch_folders.push_back(in.text()); });
  out.scratch_files = take_texts(in);
  in.each([&] {
    const uint64_t device = in.number();
    out.tools.push_back({device, in.number()});
  });
  in.each([&] { out.processors.push_back(static_cast<int>(in.number())); });
  out.no_tcp = in.number();
  if (!in.all_taken() || out.command.empty()) return std::nullopt;
  return out;
}

}  // namespace paddock::sandbox
