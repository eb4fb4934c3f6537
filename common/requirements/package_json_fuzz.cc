// Whatever passes the filter passes it again unchanged, and names nothing but packages of the
// registry: no reference, path or archive, and no field that npm would act on beside them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "common/requirements/package_json.h"
#include "common/wire/json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto checked = paddock::requirements::check_package_json(text);
  if (!checked.ok()) return 0;
  const auto made = paddock::wire::parse_json(checked->text);
  if (!made.ok() || made->object()->size() != 5) std::abort();
  for (const char* field : {"dependencies", "optionalDependencies"}) {
    for (const auto& [name, version] : *made->find(field)->object()) {
      const std::string& range = *version.string();
      if (range.empty() || range.find_first_of(":/\\#@\n") != std::string::npos) std::abort();
      if (range.front() == '.' || range.ends_with(".tgz")) std::abort();
      if (name.find("..") == 0 || name.front() == '/' || name.front() == '.') std::abort();
    }
  }
  const auto again = paddock::requirements::check_package_json(checked->text);
  if (!again.ok() || again->text != checked->text || again->count != checked->count) std::abort();
  return 0;
}
