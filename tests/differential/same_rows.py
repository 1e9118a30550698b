"""Whether two tables hold the same rows, exactly: types, nulls, every bit of a float. Arrays are compared as such, without
a detour by Python values, for which some times lie too far away."""
import pyarrow as pa

SHOWN_CHARACTERS = 200
WORDS = {16: pa.uint16(), 32: pa.uint32(), 64: pa.uint64()}


def same(ours, theirs):
    """Of two arrays of one type. What lies under a null does not count, nor how values are spread over a dictionary."""
    kind = ours.type
    if isinstance(kind, pa.BaseExtensionType):
        return same(ours.storage, theirs.storage)
    if pa.types.is_dictionary(kind):
        return same(ours.dictionary_decode(), theirs.dictionary_decode())
    if len(ours) != len(theirs) or not ours.is_null().equals(theirs.is_null()):
        return False
    if pa.types.is_floating(kind):
        return ours.view(WORDS[kind.bit_width]).equals(theirs.view(WORDS[kind.bit_width]))
    if pa.types.is_struct(kind):
        return all(same(x, y) for x, y in zip(ours.flatten(), theirs.flatten()))
    if pa.types.is_map(kind):
        entries = pa.list_(pa.struct([kind.key_field, kind.item_field]))
        return same(ours.cast(entries), theirs.cast(entries))
    if pa.types.is_fixed_size_list(kind):
        return same(ours.flatten(), theirs.flatten())
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return ours.value_lengths().equals(theirs.value_lengths()) and same(ours.flatten(), theirs.flatten())
    return ours.equals(theirs)


def whole(column):
    """One array of a column."""
    chunks = column.chunks
    if pa.types.is_dictionary(column.type):  # some dictionaries cannot be joined
        return pa.concat_arrays([chunk.dictionary_decode() for chunk in chunks] or [pa.array([], column.type.value_type)])
    return chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks) if chunks else pa.array([], column.type)


def first_difference(ours, theirs):
    """The number of the first row that differs, by halving."""
    begin, end = 0, len(ours)
    while end - begin > 1:
        middle = (begin + end) // 2
        if same(ours.slice(begin, middle - begin), theirs.slice(begin, middle - begin)):
            begin = middle
        else:
            end = middle
    return begin


def shown(array, row):
    try:
        text = repr(array[row].as_py())
    except (OverflowError, ValueError):
        text = str(array.slice(row, 1))
    return text[:SHOWN_CHARACTERS]


def difference(ours, theirs):
    """What differs between two tables, in one line, or None. Metadata aside."""
    if ours.column_names != theirs.column_names:
        return f"columns {ours.column_names}, not {theirs.column_names}"
    if ours.num_rows != theirs.num_rows:
        return f"{ours.num_rows} rows, not {theirs.num_rows}"
    for name in theirs.column_names:
        x, y = ours.column(name), theirs.column(name)
        if not x.type.equals(y.type):
            return f"{name}: type {x.type}, not {y.type}"
        x, y = whole(x), whole(y)
        if not same(x, y):
            row = first_difference(x, y)
            return f"{name}[{row}]: {shown(x, row)}, not {shown(y, row)}"
    return None


def schema_difference(ours, theirs):
    """What differs between two schemas, field and schema metadata and nullability too, or None."""
    if (ours.metadata or {}) != (theirs.metadata or {}):
        return f"schema metadata {ours.metadata}, not {theirs.metadata}"
    if len(ours) != len(theirs):
        return f"columns {ours.names}, not {theirs.names}"
    for x, y in zip(ours, theirs):
        if not x.equals(y, check_metadata=True):
            return f"field {x} {x.metadata}, not {y} {y.metadata}"
    return None
