#include "pennon/dataset/locate.h"

#include <unordered_map>

#include "dataset/row_ids.h"
#include "pennon/base/error.h"
#include "table/deletions.h"
#include "table/snapshot.h"

namespace pennon {
namespace {

/// Whether the slot is there at all; its fragment when it is.
struct Slot {
  const Fragment* fragment = nullptr;
  RowPlace place = RowPlace::kLive;  ///< kNoSuchFragment, kNoSuchRow, or kLive for "it is there".
};

Slot FindSlot(const Manifest& manifest, RowAddress address) {
  const Fragment* fragment = manifest.FindFragment(FragmentOf(address));
  if (fragment == nullptr) return {nullptr, RowPlace::kNoSuchFragment};
  if (ToInteger(OffsetOf(address)) >= fragment->physical_rows)
    return {fragment, RowPlace::kNoSuchRow};
  return {fragment, RowPlace::kLive};
}

/// Without stable ids an address is all there is. Deletion vectors are kept from one question to
/// the next.
class AddressBook {
 public:
  explicit AddressBook(const Snapshot& snapshot) : snapshot_(snapshot) {}

  arrow::Result<LocatedRow> Locate(RowAddress address) {
    LocatedRow row;
    row.address = address;
    row.row_id = RowId{ToInteger(address)};
    const Slot slot = FindSlot(snapshot_.manifest, address);
    row.place = slot.place;
    if (slot.place != RowPlace::kLive) return row;
    auto [entry, is_new] = deletions_.try_emplace(ToInteger(slot.fragment->id));
    if (is_new) {
      ARROW_ASSIGN_OR_RAISE(entry->second, LoadDeletions(snapshot_, *slot.fragment));
    }
    if (entry->second.Contains(OffsetOf(address))) row.place = RowPlace::kDeleted;
    return row;
  }

 private:
  const Snapshot& snapshot_;
  std::unordered_map<uint32_t, DeletionVector> deletions_;
};

RowPlace PlaceOf(RowState state) {
  switch (state) {
    case RowState::kLive:
      return RowPlace::kLive;
    case RowState::kDeleted:
      return RowPlace::kDeleted;
    case RowState::kGone:
      return RowPlace::kGone;
    case RowState::kNeverGiven:
      return RowPlace::kNeverGiven;
  }
  return RowPlace::kNeverGiven;
}

arrow::Result<std::vector<LocatedRow>> LocateAsAddresses(const Dataset& dataset,
                                                         std::span<const uint64_t> addresses) {
  AddressBook book(*dataset.snapshot());
  std::vector<LocatedRow> rows;
  rows.reserve(addresses.size());
  for (const uint64_t address : addresses) {
    ARROW_ASSIGN_OR_RAISE(rows.emplace_back(), book.Locate(RowAddress{address}));
  }
  return rows;
}

}  // namespace

std::string_view RowPlaceName(RowPlace place) {
  switch (place) {
    case RowPlace::kLive:
      return "live";
    case RowPlace::kDeleted:
      return "deleted";
    case RowPlace::kMoved:
      return "moved";
    case RowPlace::kGone:
      return "gone";
    case RowPlace::kNeverGiven:
      return "never given";
    case RowPlace::kNoSuchFragment:
      return "no such fragment";
    case RowPlace::kNoSuchRow:
      return "no such row";
    case RowPlace::kFilteredOut:
      return "filtered out";
  }
  return "never given";
}

arrow::Result<std::vector<LocatedRow>> LocateRowIds(const Dataset& dataset,
                                                    std::span<const uint64_t> row_ids) {
  if (!dataset.has_stable_row_ids()) return LocateAsAddresses(dataset, row_ids);
  ARROW_ASSIGN_OR_RAISE(const auto index, RowIdIndexOf(dataset));
  std::vector<RowLocation> locations(row_ids.size());
  ARROW_RETURN_NOT_OK(index->FindMany(row_ids, locations));
  std::vector<LocatedRow> rows(row_ids.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].row_id = RowId{row_ids[i]};
    rows[i].place = PlaceOf(locations[i].state);
    if (locations[i].state == RowState::kLive || locations[i].state == RowState::kDeleted) {
      rows[i].address = locations[i].address;
    }
  }
  return rows;
}

arrow::Result<std::vector<LocatedRow>> LocateAddresses(const Dataset& dataset,
                                                       std::span<const uint64_t> addresses) {
  if (!dataset.has_stable_row_ids()) return LocateAsAddresses(dataset, addresses);
  ARROW_ASSIGN_OR_RAISE(const auto index, RowIdIndexOf(dataset));
  const Manifest& manifest = dataset.snapshot()->manifest;
  std::vector<LocatedRow> rows(addresses.size());
  std::vector<uint64_t> ids;      // of the slots that are there,
  std::vector<size_t> positions;  // and where they were asked for
  for (size_t i = 0; i < rows.size(); ++i) {
    const RowAddress address{addresses[i]};
    rows[i].address = address;
    rows[i].place = FindSlot(manifest, address).place;
    if (rows[i].place != RowPlace::kLive) continue;
    ARROW_ASSIGN_OR_RAISE(rows[i].row_id, index->IdAt(address));
    if (!rows[i].row_id.has_value()) {
      rows[i].place = RowPlace::kNoSuchRow;
      continue;
    }
    ids.push_back(ToInteger(*rows[i].row_id));
    positions.push_back(i);
  }
  std::vector<RowLocation> locations(ids.size());
  ARROW_RETURN_NOT_OK(index->FindMany(ids, locations));
  for (size_t i = 0; i < ids.size(); ++i) {
    LocatedRow& row = rows[positions[i]];
    const RowLocation& location = locations[i];
    if (location.state != RowState::kLive) {
      row.place = RowPlace::kDeleted;
    } else if (location.address != *row.address) {
      row.place = RowPlace::kMoved;
      row.now_at = location.address;
    }
  }
  return rows;
}

}  // namespace pennon
