#include "common/contracts/kinds.h"

namespace paddock::contracts {
namespace {

template <class... T>
constexpr bool have_names(KindList<T...>) {
  return sizeof...(T) == kKindNames.size() && (!kind_names(T::kKind).plural.empty() && ...);
}
static_assert(have_names(OwnKinds()));

}  // namespace

wire::Value kind_schema(std::string_view kind) {
  wire::Value schema;
  OwnKinds::each([&]<class T>(std::type_identity<T>) {
    if (kind == T::kKind) schema = wire::schema<T>();
  });
  return schema;
}

}  // namespace paddock::contracts
