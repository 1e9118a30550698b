// Gives stable row ids to a table and says where its first fragment's ids lie.
#include <pennon/dataset.h>

#include <iostream>

arrow::Status Run(const std::string& path) {
  ARROW_ASSIGN_OR_RAISE(auto dataset, pennon::Dataset::Open(path));
  ARROW_ASSIGN_OR_RAISE(auto reports, pennon::MigrateToStableRowIds(*dataset));
  std::cout << "version " << pennon::ToInteger(reports.front().to_version)
            << " has stable row ids, the next one is " << reports.front().next_row_id << "\n";
  ARROW_ASSIGN_OR_RAISE(dataset, pennon::Dataset::Open(path));
  ARROW_ASSIGN_OR_RAISE(auto fragments, pennon::DescribeFragments(*dataset));
  if (!fragments.empty() && fragments.front().row_ids.smallest.has_value()) {
    std::cout << "fragment " << pennon::ToInteger(fragments.front().id) << " holds ids "
              << *fragments.front().row_ids.smallest << " to " << *fragments.front().row_ids.largest
              << "\n";
  }
  return arrow::Status::OK();
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: migrate_example TABLE\n";
    return 2;
  }
  const auto status = Run(argv[1]);
  if (!status.ok()) std::cerr << pennon::MessageOf(status) << "\n";
  return status.ok() ? 0 : 1;
}
