/// \file
/// Everything about tables: open them, describe them, read them, check them, migrate them.
#pragma once

#include "pennon/base/error.h"        // IWYU pragma: export
#include "pennon/base/ids.h"          // IWYU pragma: export
#include "pennon/dataset/dataset.h"   // IWYU pragma: export
#include "pennon/dataset/describe.h"  // IWYU pragma: export
#include "pennon/dataset/filter.h"    // IWYU pragma: export
#include "pennon/dataset/locate.h"    // IWYU pragma: export
#include "pennon/dataset/migrate.h"   // IWYU pragma: export
#include "pennon/dataset/scan.h"      // IWYU pragma: export
#include "pennon/dataset/take.h"      // IWYU pragma: export
#include "pennon/dataset/verify.h"    // IWYU pragma: export
