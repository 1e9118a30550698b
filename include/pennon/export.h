/// \file
/// Marks what the shared library shows; everything else is hidden.
#pragma once

#define PENNON_EXPORT __attribute__((visibility("default")))
