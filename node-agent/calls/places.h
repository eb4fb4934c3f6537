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
  int64_t inputs = 0;    // typed input: done at once

  // The count that a call of this kind belongs to. Typed input and commands that wait for it take
  // no place: otherwise nobody could end such a command where all places are taken.
  int64_t& of(std::string_view kind);
};

// Whether calls of this kind take one of the places of `others`, and wait here for one.
bool takes_place(std::string_view kind);
bool takes_snippets(const UnderWay& under_way, const Places& places);
// Whether there is a place for one more of the others. With `with_snippets`, it may be one of the
// places for snippets.
bool has_place(const UnderWay& under_way, const Places& places, bool with_snippets);
// Whether a lane asks for calls. It cannot ask for one kind alone: while there is a command that
// somebody may type to, it asks for all, so that the typed keys come; a call for which there is no
// place then waits here.
bool takes_calls(const UnderWay& under_way, const Places& places, bool with_snippets);

}  // namespace paddock::agent
