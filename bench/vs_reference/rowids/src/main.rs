fn main() { let s = lance_table::rowids::RowIdSequence::from(0..10u64); println!("{}", lance_table::rowids::write_row_ids(&s).len()); }
