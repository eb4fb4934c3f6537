#include "cli/terminal/progress.h"

#include <algorithm>

#include "common/base/text.h"
#include "common/base/units.h"

namespace paddock::cli {
namespace {

constexpr Millis kRedrawEvery{100};
constexpr Millis kPlainEvery{5000};
constexpr size_t kBarWidth = 24;
constexpr size_t kLeastBar = 4;  // a shorter one tells nothing
constexpr size_t kBarFrame = 4;  // brackets and spaces
constexpr std::string_view kWord = "progress ";

// `[##..] `, as long as fits beside the rest, which tells more; nothing where that needs all room.
std::string bar(double share, size_t room, size_t taken) {
  const size_t width = std::min(kBarWidth, room - std::min(room, taken));
  if (width < kLeastBar) return "";
  const size_t filled = std::min(width, static_cast<size_t>(share * static_cast<double>(width)));
  return cat("[", std::string(filled, '#'), std::string(width - filled, '.'), "] ");
}

}  // namespace

std::optional<Progress> parse_progress(std::string_view line) {
  line = trim(line);
  if (!line.starts_with(kWord)) return std::nullopt;
  line.remove_prefix(kWord.size());
  const size_t numbers_end = std::min(line.find(' '), line.size());
  const std::string_view numbers = line.substr(0, numbers_end);
  const size_t slash = numbers.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto done = parse_integer<int64_t>(numbers.substr(0, slash));
  const auto total = parse_integer<int64_t>(numbers.substr(slash + 1));
  if (!done || !total || *done < 0 || *total <= 0) return std::nullopt;
  return Progress{std::min(*done, *total), *total, std::string(trim(line.substr(numbers_end)))};
}

std::string progress_line(std::string_view label, const Progress& progress, int width) {
  const double share =
      progress.total > 0 ? static_cast<double>(progress.done) / static_cast<double>(progress.total)
                         : 0.0;
  const std::string numbers =
      progress.bytes ? cat(format_bytes(progress.done), " of ", format_bytes(progress.total))
                     : cat(progress.done, "/", progress.total);
  const std::string told = cat(static_cast<int>(share * 100), "% ", numbers);
  const auto room = static_cast<size_t>(std::max(width - 1, 1));
  std::string line =
      cat(label, " ", bar(share, room, display_width(label) + told.size() + kBarFrame), told);
  if (!progress.note.empty()) line += cat(" ", progress.note);
  return shorten(printable(line), room);
}

void ProgressDisplay::show(const Progress& progress, MonoTime now) {
  const bool finished = progress.total > 0 && progress.done >= progress.total;
  const Millis every = stream_.tty ? kRedrawEvery : kPlainEvery;
  const bool due = !last_ || now - *last_ >= every;
  if (stream_.tty) {
    if (!due && !finished && visible_) return;
    stream_.write(cat("\r", progress_line(label_, progress, stream_.width), "\x1b[K"));
    visible_ = true;
  } else {
    if (!last_) last_ = now;  // short work needs no line
    if (!due || now - *last_ < every) return;
    stream_.write(cat(progress_line(label_, progress, 200), "\n"));
  }
  last_ = now;
}

void ProgressDisplay::hide() {
  if (visible_) stream_.write("\r\x1b[K");
  visible_ = false;
}

}  // namespace paddock::cli
