#include "dataset/live_twice.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "rowids/segment_runs.h"

namespace pennon {
namespace {

constexpr uint64_t kLastId = std::numeric_limits<uint64_t>::max();
constexpr size_t kSamplesMax = 1 << 16;

// One segment of one fragment.
struct Piece {
  const LiveIds* owner = nullptr;
  size_t segment = 0;
  uint64_t smallest = 0;
  uint64_t largest = 0;
  OffsetRange rows;  // positions in the fragment
};

// Ids [first, last].
struct IdRun {
  uint64_t first = 0;
  uint64_t last = 0;
};

const Segment& SegmentOf(const Piece& piece) { return piece.owner->ids.segments()[piece.segment]; }
bool IsUnsorted(const Piece& piece) { return SegmentOf(piece).form == SegmentForm::kArray; }
uint64_t CountLive(const Piece& piece) { return piece.owner->deletions.CountLive(piece.rows); }

std::vector<Piece> CollectPieces(std::span<const LiveIds> fragments) {
  std::vector<Piece> pieces;
  for (const LiveIds& fragment : fragments) {
    for (size_t i = 0; i < fragment.ids.segments().size(); ++i) {
      const auto bounds = HeaderBounds(fragment.ids.segments()[i]);
      const OffsetRange rows{fragment.ids.FirstPosition(i), fragment.ids.FirstPosition(i + 1)};
      if (!bounds.has_value() || rows.size() == 0) continue;
      pieces.push_back({&fragment, i, bounds->smallest, bounds->largest, rows});
    }
  }
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.smallest < b.smallest; });
  return pieces;
}

// Calls `fn(id)` for the live ids of an unsorted array, in row order.
template <typename Fn>
void ForEachLiveId(const Piece& piece, Fn&& fn) {
  const PackedArray& array = SegmentOf(piece).array;
  LiveRangeCursor live(piece.owner->deletions, piece.rows);
  for (OffsetRange range; live.Next(&range);) {
    for (uint64_t row = range.begin; row < range.end; ++row) fn(array[row - piece.rows.begin]);
  }
}

// Gives the live ids of one piece as ascending runs, or, of an unsorted array, those that lie in
// the current window.
class RunSource {
 public:
  RunSource(const Piece& piece, size_t batch) : piece_(&piece), batch_(batch) {}

  const Piece& piece() const { return *piece_; }

  /// Sorts the live ids of an unsorted array inside `window` to be given next.
  void LoadWindow(IdRun window) {
    sorted_.clear();
    next_ = 0;
    ForEachLiveId(*piece_, [&](uint64_t id) {
      if (id >= window.first && id <= window.last) sorted_.push_back(id);
    });
    std::sort(sorted_.begin(), sorted_.end());
  }

  bool Next(IdRun* run) { return IsUnsorted(*piece_) ? NextSorted(run) : NextStreamed(run); }

 private:
  bool NextSorted(IdRun* run) {
    if (next_ == sorted_.size()) {
      std::vector<uint64_t>().swap(sorted_);
      next_ = 0;
      return false;
    }
    *run = {sorted_[next_], sorted_[next_]};
    while (++next_ < sorted_.size() && run->last != kLastId && sorted_[next_] == run->last + 1)
      ++run->last;
    return true;
  }

  bool NextStreamed(IdRun* run) {
    while (next_ == runs_.size()) {
      if (live_.size() == 0) {
        if (!cursor_.has_value()) cursor_.emplace(piece_->owner->deletions, piece_->rows);
        if (!cursor_->Next(&live_)) return false;
      }
      // A range is one run however long it is; of other forms only a batch is looked at.
      const bool whole = SegmentOf(*piece_).form == SegmentForm::kRange;
      const uint64_t count = whole ? live_.size() : std::min<uint64_t>(live_.size(), batch_);
      runs_.clear();
      next_ = 0;
      ForEachRun(SegmentOf(*piece_), piece_->owner->ids.IndexOf(piece_->segment),
                 live_.begin - piece_->rows.begin, count, [&](uint64_t first, uint64_t length) {
                   runs_.push_back({first, first + length - 1});
                 });
      live_.begin += count;
    }
    *run = runs_[next_++];
    return true;
  }

  const Piece* piece_;
  size_t batch_;
  size_t next_ = 0;
  std::vector<uint64_t> sorted_;
  std::vector<IdRun> runs_;
  OffsetRange live_;
  std::optional<LiveRangeCursor> cursor_;
};

// The addresses of an id that is live in a piece, at most two.
std::vector<RowAddress> AddressesIn(const Piece& piece, uint64_t id) {
  std::vector<RowAddress> addresses;
  const auto add = [&](uint64_t position) {
    const RowOffset offset{static_cast<uint32_t>(piece.rows.begin + position)};
    if (addresses.size() < 2 && !piece.owner->deletions.Contains(offset)) {
      addresses.push_back(MakeRowAddress(piece.owner->fragment, offset));
    }
  };
  const Segment& segment = SegmentOf(piece);
  if (IsUnsorted(piece)) {
    for (uint64_t i = 0; i < segment.array.count; ++i) {
      if (segment.array[i] == id) add(i);
    }
  } else if (const auto position =
                 FindInSegment(segment, piece.owner->ids.IndexOf(piece.segment), id)) {
    add(*position);
  }
  return addresses;
}

// Pieces whose spans overlap, one way or another.
class Region {
 public:
  Region(std::span<const Piece> pieces, uint64_t ids_in_memory_max,
         const std::function<void(const LiveTwice&)>& report)
      : pieces_(pieces), ids_max_(std::max<uint64_t>(ids_in_memory_max, 1)), report_(report) {}

  void Run() {
    const size_t batch = std::clamp<size_t>((size_t{1} << 20) / pieces_.size(), 16, 1024);
    for (const Piece& piece : pieces_)
      sources_.push_back(std::make_unique<RunSource>(piece, batch));
    for (size_t i = 0; i < sources_.size(); ++i) {
      if (!IsUnsorted(pieces_[i]))
        waiting_.push({{pieces_[i].smallest, pieces_[i].smallest}, i, false});
    }
    uint64_t first = 0;
    for (const uint64_t last : WindowEnds()) {
      for (size_t i = 0; i < sources_.size(); ++i) {
        if (!IsUnsorted(pieces_[i]) || pieces_[i].largest < first || pieces_[i].smallest > last)
          continue;
        sources_[i]->LoadWindow({first, last});
        Advance(i);
      }
      Merge(last);
      first = last + 1;
    }
  }

 private:
  struct Waiting {
    IdRun run;
    size_t source = 0;
    bool is_run =
        true;  // false: only a lower bound of the source's first id, which has not been read yet
    bool operator<(const Waiting& other) const {
      return run.first > other.run.first;
    }  // smallest on top
  };

  // The last id of each window. Only unsorted arrays make more than one necessary.
  std::vector<uint64_t> WindowEnds() const {
    uint64_t num_unsorted = 0;
    for (const Piece& piece : pieces_) num_unsorted += IsUnsorted(piece) ? CountLive(piece) : 0;
    std::vector<uint64_t> ends;
    if (num_unsorted > ids_max_) {
      // Every stride-th id stands for its neighbours.
      const uint64_t stride = num_unsorted / kSamplesMax + 1;
      std::vector<uint64_t> samples;
      uint64_t n = 0;
      for (const Piece& piece : pieces_) {
        if (!IsUnsorted(piece)) continue;
        ForEachLiveId(piece, [&](uint64_t id) {
          if (n++ % stride == 0) samples.push_back(id);
        });
      }
      std::sort(samples.begin(), samples.end());
      const size_t per_window = std::max<size_t>(1, ids_max_ / stride);
      for (size_t i = per_window; i < samples.size(); i += per_window) {
        if (ends.empty() || samples[i] > ends.back()) ends.push_back(samples[i]);
      }
    }
    if (ends.empty() || ends.back() != kLastId) ends.push_back(kLastId);
    return ends;
  }

  void Advance(size_t source) {
    IdRun run;
    if (sources_[source]->Next(&run)) waiting_.push({run, source, true});
  }

  // Takes runs in ascending order up to the window's end. What goes on behind it stays in the
  // queue.
  void Merge(uint64_t window_last) {
    while (!waiting_.empty() && waiting_.top().run.first <= window_last) {
      const Waiting item = waiting_.top();
      waiting_.pop();
      Advance(item.source);
      if (!item.is_run) continue;
      if (reached_.has_value() && item.run.first <= *reached_) {
        Report(item.run.first, std::min(item.run.last, *reached_), reached_by_, item.source);
      }
      if (!reached_.has_value() || item.run.last >= *reached_) {
        reached_ = item.run.last;
        reached_by_ = item.source;
      }
    }
  }

  void Report(uint64_t first, uint64_t last, size_t source, size_t other) {
    auto addresses = AddressesIn(pieces_[source], first);
    if (source != other) {
      addresses.resize(std::min<size_t>(addresses.size(), 1));
      for (const RowAddress address : AddressesIn(pieces_[other], first))
        addresses.push_back(address);
    }
    if (addresses.size() < 2) return;  // cannot be: both sources gave the id out
    const auto [low, high] = std::minmax(addresses[0], addresses[1]);
    report_({RowId{first}, last - first + 1, low, high});
  }

  std::span<const Piece> pieces_;
  uint64_t ids_max_;
  const std::function<void(const LiveTwice&)>& report_;
  std::vector<std::unique_ptr<RunSource>> sources_;
  std::priority_queue<Waiting> waiting_;
  std::optional<uint64_t> reached_;  // the largest id seen so far
  size_t reached_by_ = 0;
};

}  // namespace

void FindLiveTwice(std::span<const LiveIds> fragments, uint64_t ids_in_memory_max,
                   const std::function<void(const LiveTwice&)>& report) {
  const std::vector<Piece> pieces = CollectPieces(fragments);
  for (size_t begin = 0; begin < pieces.size();) {
    uint64_t largest = pieces[begin].largest;
    size_t end = begin + 1;
    for (; end < pieces.size() && pieces[end].smallest <= largest; ++end) {
      largest = std::max(largest, pieces[end].largest);
    }
    if (end - begin > 1 || IsUnsorted(pieces[begin])) {
      Region(std::span(pieces).subspan(begin, end - begin), ids_in_memory_max, report).Run();
    }
    begin = end;
  }
}

}  // namespace pennon
