// How many calls of which kind are under way on this node, and which may be begun. Pure.
#pragma once

#include <cstdint>
#include <string_view>

namespace paddock::agent {

struct Places {
  int64_t snippets = 0;
  int64_t others = 0;
};

struct UnderWay {
  int64_t snippets = 0;
  int64_t others = 0;
  int64_t waiting = 0;   // of those: they have come, and wait for a place
  int64_t attached = 0;  // commands that wait for somebody to type, mostly
  int64_t inputs = 0;    // what he types: done at once

  // What counts for the places of its kind. What is typed, and commands that wait for it, take
  // none: else nobody could end one of these where all places are taken.
  int64_t& of(std::string_view kind);
};

// Whether one of the kinds that take a place of `others` waits for it here.
bool takes_place(std::string_view kind);
bool takes_snippets(const UnderWay& under_way, const Places& places);
// Whether there is a place for one more of the others; snippets' may be used, `with_snippets`.
bool has_place(const UnderWay& under_way, const Places& places, bool with_snippets);
// Whether a lane asks for calls. It cannot say which: while there is a command that somebody may
// type to, it takes all, so that his keys come, and what has no place waits here.
bool takes_calls(const UnderWay& under_way, const Places& places, bool with_snippets);

}  // namespace paddock::agent
