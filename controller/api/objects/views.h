// How stored objects are shown to clients: each kind as itself. pods.h shows runs as another kind.
// A view is what lists, reads and watches are made for.
#pragma once

#include "controller/api/objects/kind.h"
#include "controller/api/objects/watch.h"
#include "controller/k8s/cells.h"
#include "controller/k8s/table.h"

namespace paddock::api {

template <ReadableKind T>
struct Itself {
  using Stored = T;
  static constexpr const char* kKind = T::kKind;
  static constexpr const char* kApiVersion = contracts::kApiVersion;
  static constexpr bool kShownAsStored = KindTraits<T>::kStoredWhole;
  static wire::Value object(const T& stored) { return wire::encode(stored); }
  static wire::Value cells(const T& stored, WallTime now) { return k8s::cells(stored, now); }
  static wire::Value columns() { return k8s::columns(T::kKind); }
  static const k8s::Labels& labels(const T& stored) { return stored.metadata.labels; }
  static k8s::Labels fields(const T& stored) { return KindTraits<T>::selectable_fields(stored); }
};

}  // namespace paddock::api
