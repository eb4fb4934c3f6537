// Media that a run may have made: its policy (`spec.mediaExecution`), a request for some, and the
// answer. Who makes them, with whose credentials and at whose cost is the external orchestrator's
// business; here it is only decided whether it is asked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/contracts/meta.h"

namespace paddock::contracts {

enum class MediaMode { kEnabled, kDisabled };
enum class MediaSurface { kImage, kVideo, kAudio };

// An empty list restricts nothing. Models are trimmed, and each is there once.
struct MediaExecution {
  MediaMode mode = MediaMode::kDisabled;
  std::vector<MediaSurface> allowed_surfaces;
  std::vector<std::string> allowed_models;
  static std::optional<MediaExecution> decode_value(const wire::Value& value, wire::Check& check);
  wire::Value encode_value() const;
  static wire::Value value_schema();
};
// What holds for a run that says nothing about media. Callers that create runs pass it explicitly.
inline MediaExecution default_media_execution() { return {MediaMode::kEnabled, {}, {}}; }

// POST runs/{name}/media. `input` is the provider's alone.
struct MediaRequest {
  MediaSurface surface = MediaSurface::kImage;
  std::string model;
  std::string prompt;
  wire::Value input = wire::Value::Object{};
  static std::optional<MediaRequest> decode_value(const wire::Value& value, wire::Check& check);
  wire::Value encode_value() const;
  static wire::Value value_schema();
};

struct MediaTask {
  std::string task_id;
  std::string status;
  std::optional<wire::Timestamp> started_at;
  static constexpr auto describe(auto&& visit) {
    return visit(
        field("taskId", &MediaTask::task_id, "to ask the orchestrator with", {.required = true}),
        field("status", &MediaTask::status, "as the provider said", {.required = true}),
        field("startedAt", &MediaTask::started_at, "when it was asked"));
  }
};

}  // namespace paddock::contracts

namespace paddock::wire {
template <>
struct EnumNames<contracts::MediaMode> {
  using E = contracts::MediaMode;
  static constexpr std::array values = {std::pair{E::kEnabled, std::string_view("enabled")},
                                        std::pair{E::kDisabled, std::string_view("disabled")}};
};
template <>
struct EnumNames<contracts::MediaSurface> {
  using E = contracts::MediaSurface;
  static constexpr std::array values = {std::pair{E::kImage, std::string_view("image")},
                                        std::pair{E::kVideo, std::string_view("video")},
                                        std::pair{E::kAudio, std::string_view("audio")}};
};
}  // namespace paddock::wire
