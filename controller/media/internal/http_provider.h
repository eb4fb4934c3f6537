// The provider as it is: asked over HTTP, without any question. Nobody but generate_media_for_run
// can make one.
#pragma once

#include "controller/media/generate.h"

namespace paddock::media::internal {

struct ProviderRequest {
  std::string task_id;
  std::string name_space;
  std::string run;
  std::string run_uid;
  const contracts::MediaRequest& media;
};

class HttpProvider {
 public:
  // The task by the provider's own id and state; by ours where it gives none.
  // MEDIA_PROVIDER_FAILED.
  Result<contracts::MediaTask> generate(const ProviderRequest& request) const;

 private:
  friend Result<contracts::MediaTask> media::generate_media_for_run(const MediaSettings& settings,
                                                                    store::Store& store,
                                                                    const MediaCall& call,
                                                                    WallTime now, Random& random);
  HttpProvider(std::string url, Millis timeout) : url_(std::move(url)), timeout_(timeout) {}

  std::string url_;
  Millis timeout_;
};

}  // namespace paddock::media::internal
