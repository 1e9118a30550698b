/// \file
/// Letter case of Unicode text, with the mappings to several characters (ß to SS) that Arrow leaves
/// out. Spec: Unicode, SpecialCasing.txt (unconditional mappings, and the final sigma).
#pragma once

#include <arrow/array.h>
#include <arrow/result.h>

#include <memory>
#include <string>
#include <string_view>

namespace pennon {

/// Returns `text` with every character replaced that becomes several in upper case; nothing else
/// changes.
std::string ExpandForUpper(std::string_view text);
/// The same for lower case: the dotted capital I, and capital sigma at the end of a word.
std::string ExpandForLower(std::string_view text);

/// Whether ExpandForUpper or ExpandForLower would change anything: cheap test by leading bytes, may
/// say yes in vain.
bool MayExpand(std::string_view text);

/// Decodes the character at `position` and moves it on. The text is valid UTF-8.
uint32_t DecodeUtf8(std::string_view text, size_t* position);
void AppendUtf8(uint32_t code, std::string* out);

}  // namespace pennon
