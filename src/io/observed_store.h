/// \file
/// A store that reports each of its calls to an observer.
#pragma once

#include <memory>

#include "io/store.h"
#include "pennon/io/store_observer.h"

namespace pennon {

/// Returns `store` with every call, also those of the files it opens, shown to `observer`.
std::shared_ptr<Store> MakeObservedStore(std::shared_ptr<Store> store,
                                         std::shared_ptr<StoreObserver> observer);

}  // namespace pennon
