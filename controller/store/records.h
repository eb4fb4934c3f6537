// The records that the store keeps beside the objects of the API, and the questions that it
// answers: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/contracts/events.h"

namespace paddock::store {

struct Key {
  std::string name_space;  // empty for cluster-scoped kinds
  std::string name;
};

// What a change is about to make: an object, or of this kind what is remembered of an idempotency
// key, with its scope in place of a namespace.
inline constexpr std::string_view kIdempotencyKind = "IdempotencyKey";
// One that a change makes, or that is going to be read.
struct NewObject {
  std::string_view kind;  // outlives the change
  Key key;
};

struct ListOptions {
  std::optional<std::string> name_space;  // absent: all
  int64_t limit = 0;                      // 0: no limit
  std::string after;                      // continue after this, a page's continue_after
  std::optional<std::string> name = {};   // only those of this name: found by the key alone
  bool active = false;                    // only runs that are not over; not with `name`
  bool newest_first = false;              // by their creation, within one namespace
  size_t bytes = 0;  // of stored text: behind them a page ends, with one object at least; 0: any
  // An object that cannot be read is told of in the log, and hides none of the others. Never of
  // nodes and grants: a missing one would be taken for one that is gone.
  bool leave_out = false;
  // Leaves out nodes and grants too that cannot be read: for a caller that does not take what is
  // left out for gone.
  bool leave_out_any = false;
};

template <class T>
struct Page {
  std::vector<T> items;            // by namespace, name, unless the newest come first
  int64_t resource_version = 0;    // of the snapshot
  std::string continue_after;      // not empty when more is left
  int64_t remaining = 0;           // how many are left; 0 too where that is not counted
  size_t bytes = 0;                // of stored text that was read
  std::vector<Key> left_out = {};  // of those that could not be read
};

// The facts about an object that are known without reading its text.
struct ObjectHead {
  std::string uid;
  int64_t resource_version = 0;
  std::string node;     // that has it, of a run or a session
  bool active = false;  // of these, that it is not over
};

// A session whose time for the next look has come.
struct DueSession {
  Key key;
  std::string uid;
};

struct TokenRecord {
  std::string id;       // public part, for listing and revoking
  std::string hash;     // SHA-256 of the secret
  std::string subject;  // who: "admin", "node:laptop", …
  std::vector<std::string> scopes;
  std::string name_space;  // limits it to one namespace; empty: all
  std::optional<int64_t> expires_ms;
  bool revoked = false;
};

// The record of a ToolToken's secret, kept beside the object.
struct ToolSecret {
  std::string token_uid;
  std::string hash;  // SHA-256
  std::string run_uid;
  int64_t expires_ms = 0;
};
struct FoundToolSecret {
  Key token;
  std::string hash;
};

// One value of a Secret as it is kept, beside the object: nothing here opens it.
struct SealedValue {
  std::string name;
  std::string key_id;
  std::string sealed;
};
struct FoundSealedValue {
  Key secret;
  std::string secret_uid;
  SealedValue value;
};

// One committed write of an object, for watches.
struct ObjectWrite {
  enum class Op { kCreate, kUpdate, kDelete };
  int64_t resource_version = 0;
  std::string kind;
  Key key;
  Op op = Op::kUpdate;
  std::string before;  // the object's JSON; empty when it was created
  std::string after;   // empty when it was deleted
};

// A change of a run's phase, as its stream tells it, with the run that it is about.
struct PhaseRecord {
  int64_t object_id = 0;  // grows with each object created
  Key run;
  std::string run_uid;
  contracts::RunEvent event;
  int64_t resource_version = 0;  // drawn when it was appended
};
struct PhaseQuery {
  std::optional<std::string> name_space;  // absent: all
  std::string run_name;                   // empty: of all runs
  int64_t after_object = 0;               // go on after this event of this object
  int64_t after_event = 0;
  int64_t limit = 0;  // 0: no limit
};

// Chooses audit events; an empty word does not restrict the choice.
struct AuditQuery {
  std::optional<std::string> name_space;  // absent: all, and those of the cluster
  std::string type;
  std::string subject;
  std::string session_id;
  int64_t since_ms = 0;
  std::optional<int64_t> after;  // absent: the newest that match
  int64_t limit = 0;
};

// Topics for touch().
inline std::string run_topic(const std::string& uid) { return "run/" + uid; }
inline std::string node_topic(const std::string& name) { return "node/" + name; }
// Touched by every change of an object of this kind.
inline std::string kind_topic(std::string_view kind) { return "kind/" + std::string(kind); }
inline constexpr const char* kSchedulerTopic = "scheduler";

// The prefix of the setting, by an enrolment token's id, that says who used the token.
inline constexpr std::string_view kTokenUse = "enroll-token/";

}  // namespace paddock::store
