#include "format/transaction.h"

#include <fmt/format.h>

#include <utility>

#include "format/fragment.h"
#include "format/parse_message.h"
#include "table.pb.h"

namespace pennon {
namespace {

std::string OperationName(const proto::Transaction& transaction) {
  switch (transaction.operation_case()) {
    case proto::Transaction::kAppend:
      return "Append";
    case proto::Transaction::kDelete:
      return "Delete";
    case proto::Transaction::kOverwrite:
      return "Overwrite";
    case proto::Transaction::kCreateIndex:
      return "CreateIndex";
    case proto::Transaction::kRewrite:
      return "Rewrite";
    case proto::Transaction::kMerge:
      return "Merge";
    case proto::Transaction::kRestore:
      return "Restore";
    case proto::Transaction::kReserveFragments:
      return "ReserveFragments";
    case proto::Transaction::kUpdate:
      return "Update";
    case proto::Transaction::kProject:
      return "Project";
    case proto::Transaction::kUpdateConfig:
      return "UpdateConfig";
    case proto::Transaction::kDataReplacement:
      return "DataReplacement";
    case proto::Transaction::kUpdateMemWalState:
      return "UpdateMemWalState";
    case proto::Transaction::kClone:
      return "Clone";
    case proto::Transaction::kUpdateBases:
      return "UpdateBases";
    case proto::Transaction::kDataOverlay:
      return "DataOverlay";
    case proto::Transaction::OPERATION_NOT_SET:
      return "Unknown";
  }
  return "Unknown";
}

std::string IndexNames(const proto::Transaction::CreateIndex& operation) {
  std::string out;
  for (const auto& index : operation.new_indices()) out += (out.empty() ? "" : ", ") + index.name();
  if (out.empty() && operation.removed_indices_size() > 0) {
    for (const auto& index : operation.removed_indices())
      out += (out.empty() ? "dropped " : ", ") + index.name();
  }
  return out;
}

std::string Detail(const proto::Transaction& transaction) {
  switch (transaction.operation_case()) {
    case proto::Transaction::kAppend:
      return fmt::format("{} new fragment(s)", transaction.append().fragments_size());
    case proto::Transaction::kDelete:
      return transaction.delete_().predicate().empty()
                 ? ""
                 : "where " + transaction.delete_().predicate();
    case proto::Transaction::kOverwrite:
      return fmt::format("{} new fragment(s)", transaction.overwrite().fragments_size());
    case proto::Transaction::kCreateIndex:
      return IndexNames(transaction.create_index());
    case proto::Transaction::kRewrite: {
      int old_fragments = transaction.rewrite().deprecated_old_fragments_size();
      int new_fragments = transaction.rewrite().deprecated_new_fragments_size();
      for (const auto& group : transaction.rewrite().groups()) {
        old_fragments += group.old_fragments_size();
        new_fragments += group.new_fragments_size();
      }
      return fmt::format("{} fragment(s) into {}", old_fragments, new_fragments);
    }
    case proto::Transaction::kRestore:
      return fmt::format("version {}", transaction.restore().version());
    case proto::Transaction::kReserveFragments:
      return fmt::format("{} fragment id(s)", transaction.reserve_fragments().num_fragments());
    case proto::Transaction::kUpdate:
      return fmt::format("{} removed, {} changed, {} new fragment(s)",
                         transaction.update().removed_fragment_ids_size(),
                         transaction.update().updated_fragments_size(),
                         transaction.update().new_fragments_size());
    case proto::Transaction::kDataReplacement:
      return fmt::format("{} file(s)", transaction.data_replacement().replacements_size());
    case proto::Transaction::kClone:
      return fmt::format("of version {}", transaction.clone().ref_version());
    default:
      return "";
  }
}

template <typename Messages>
arrow::Status AppendFragmentIds(const Messages& encoded, std::vector<FragmentId>* out) {
  for (const auto& bytes : encoded) {
    ARROW_ASSIGN_OR_RAISE(const Fragment fragment, DecodeFragment(bytes, 0));
    out->push_back(fragment.id);
  }
  return arrow::Status::OK();
}

arrow::Result<std::vector<RewriteGroup>> RewriteGroups(const proto::Transaction::Rewrite& rewrite) {
  std::vector<RewriteGroup> groups;
  if (rewrite.deprecated_old_fragments_size() > 0) {
    RewriteGroup group;
    ARROW_RETURN_NOT_OK(
        AppendFragmentIds(rewrite.deprecated_old_fragments(), &group.old_fragments));
    ARROW_RETURN_NOT_OK(
        AppendFragmentIds(rewrite.deprecated_new_fragments(), &group.new_fragments));
    groups.push_back(std::move(group));
  }
  for (const auto& message : rewrite.groups()) {
    RewriteGroup group;
    ARROW_RETURN_NOT_OK(AppendFragmentIds(message.old_fragments(), &group.old_fragments));
    ARROW_RETURN_NOT_OK(AppendFragmentIds(message.new_fragments(), &group.new_fragments));
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

arrow::Result<Transaction> DecodeTransaction(std::string_view bytes) {
  proto::Transaction message;
  ARROW_RETURN_NOT_OK(ParseMessage(bytes, "transaction message", &message));
  Transaction out;
  out.read_version = Version{message.read_version()};
  out.uuid = message.uuid();
  out.operation = OperationName(message);
  out.properties = {message.properties().begin(), message.properties().end()};
  out.detail = Detail(message);
  if (message.has_rewrite()) {
    ARROW_ASSIGN_OR_RAISE(out.rewrite_groups, RewriteGroups(message.rewrite()));
  }
  return out;
}

std::string EncodeSelfRewrite(Version read_version, std::string_view uuid,
                              const std::vector<FragmentId>& fragments,
                              const std::map<std::string, std::string>& properties) {
  proto::Transaction message;
  message.set_read_version(ToInteger(read_version));
  message.set_uuid(std::string(uuid));
  for (const auto& [key, value] : properties) (*message.mutable_properties())[key] = value;
  auto* rewrite = message.mutable_rewrite();
  if (!fragments.empty()) {
    auto* group = rewrite->add_groups();
    for (const FragmentId id : fragments) {
      const std::string encoded = EncodeFragmentIdOnly(id);
      group->add_old_fragments(encoded);
      group->add_new_fragments(encoded);
    }
  }
  return message.SerializeAsString();
}

std::string TransactionFileName(Version read_version, std::string_view uuid) {
  return fmt::format("{}-{}.txn", ToInteger(read_version), uuid);
}

}  // namespace pennon
