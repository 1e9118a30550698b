//! The reference engine's row id structures on the scenarios that bench/rowids writes, timed the same way as ours.
//!
//! `rowids-reference index FILE ANSWERS MAX_SECONDS` looks ids up; `rowids-reference sequence FILE ANSWERS` works on
//! one sequence; `rowids-reference lineage FILE`. Prints one JSON object of figures: nanoseconds of CPU, the least of several rounds. Answers go to ANSWERS, as many as there
//! was time for, so that the driver can compare them before it believes the figures.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};

use lance_core::utils::deletion::DeletionVector;
use lance_table::rowids::version::{read_dataset_versions, write_dataset_versions};
use lance_table::rowids::{FragmentRowIdIndex, RowIdIndex, RowIdSequence, read_row_ids, rechunk_sequences, write_row_ids};
use roaring::RoaringBitmap;

struct Counting;
static COUNTS: AtomicBool = AtomicBool::new(false);
static LIVE_BYTES: AtomicIsize = AtomicIsize::new(0);

// Counts only while it is told to, so that it costs the measured code nothing.
// SAFETY: hands everything to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if COUNTS.load(Ordering::Relaxed) {
            LIVE_BYTES.fetch_add(layout.size() as isize, Ordering::Relaxed);
        }
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if COUNTS.load(Ordering::Relaxed) {
            LIVE_BYTES.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        }
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn cpu_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

struct Input {
    bytes: Vec<u8>,
    at: usize,
}

impl Input {
    fn u64(&mut self) -> u64 {
        let value = u64::from_le_bytes(self.bytes[self.at..self.at + 8].try_into().unwrap());
        self.at += 8;
        value
    }
    fn blob(&mut self) -> Vec<u8> {
        let size = self.u64() as usize;
        self.at += size;
        self.bytes[self.at - size..self.at].to_vec()
    }
    fn words(&mut self) -> Vec<u64> {
        self.blob().chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap())).collect()
    }
}

struct Fragment {
    id: u32,
    row_ids: Vec<u8>,
    deletions: Arc<DeletionVector>,
}

fn write_words(path: &str, words: &[u64]) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    fs::write(path, bytes).unwrap();
}

fn make_index(fragments: &[Fragment]) -> RowIdIndex {
    let sources: Vec<FragmentRowIdIndex> = fragments
        .iter()
        .map(|fragment| FragmentRowIdIndex {
            fragment_id: fragment.id,
            row_id_sequence: Arc::new(read_row_ids(&fragment.row_ids).unwrap()),
            deletion_vector: fragment.deletions.clone(),
        })
        .collect();
    RowIdIndex::new(&sources).unwrap()
}

/// The least time of several rounds: at least `rounds`, and more while they are short.
fn least(rounds: usize, mut round: impl FnMut()) -> u64 {
    let mut best = u64::MAX;
    let begin = cpu_ns();
    let mut done = 0;
    while done < rounds || (cpu_ns() - begin < 200_000_000 && done < 1000) {
        let start = cpu_ns();
        round();
        best = best.min(cpu_ns() - start);
        done += 1;
    }
    best
}

fn index(path: &str, answers_path: &str, max_seconds: f64) {
    let mut input = Input { bytes: fs::read(path).unwrap(), at: 0 };
    let num_fragments = input.u64();
    let _next_row_id = input.u64();
    let fragments: Vec<Fragment> = (0..num_fragments)
        .map(|_| {
            let id = input.u64() as u32;
            let _physical_rows = input.u64();
            let row_ids = input.blob();
            let deleted = input.words();
            let deletions = if deleted.is_empty() {
                DeletionVector::NoDeletions
            } else {
                DeletionVector::Bitmap(deleted.iter().map(|&offset| offset as u32).collect::<RoaringBitmap>())
            };
            Fragment { id, row_ids, deletions: Arc::new(deletions) }
        })
        .collect();
    let queries = input.words();
    drop(input);

    let address = |found: Option<lance_core::utils::address::RowAddress>| found.map_or(u64::MAX, u64::from);
    let first_ns = least(3, || {
        let index = make_index(&fragments);
        std::hint::black_box(index.get(queries[0]).unwrap());
    });

    let sources: Vec<FragmentRowIdIndex> = fragments
        .iter()
        .map(|fragment| FragmentRowIdIndex {
            fragment_id: fragment.id,
            row_id_sequence: Arc::new(read_row_ids(&fragment.row_ids).unwrap()),
            deletion_vector: fragment.deletions.clone(),
        })
        .collect();
    COUNTS.store(true, Ordering::Relaxed);
    let index = RowIdIndex::new(&sources).unwrap();
    COUNTS.store(false, Ordering::Relaxed);
    let memory_bytes = LIVE_BYTES.load(Ordering::Relaxed);

    let mut answers = Vec::with_capacity(queries.len());
    let start = cpu_ns();
    for &id in &queries {
        answers.push(address(index.get(id).unwrap()));
        if answers.len() % 100 == 0 && (cpu_ns() - start) as f64 > max_seconds * 1e9 {
            break;
        }
    }
    let mut each_ns = (cpu_ns() - start) as f64 / answers.len() as f64;
    if answers.len() == queries.len() {
        for _ in 0..2 {
            let start = cpu_ns();
            for &id in &queries {
                std::hint::black_box(index.get(id).unwrap());
            }
            each_ns = each_ns.min((cpu_ns() - start) as f64 / queries.len() as f64);
        }
    }
    write_words(answers_path, &answers);

    // As many ids a batch as take a few seconds at most.
    let batch = queries.len().min((1.5e9 / each_ns) as usize).max(1000);
    let mut sorted = queries[..batch].to_vec();
    sorted.sort_unstable();
    let unsorted_ns = least(3, || {
        std::hint::black_box(index.get_many(&queries[..batch]).unwrap());
    });
    let sorted_ns = least(3, || {
        std::hint::black_box(index.get_many(&sorted).unwrap());
    });
    println!(
        "{{\"first_ns\": {first_ns}, \"each_ns\": {each_ns:.2}, \"lookups\": {}, \"batch\": {batch}, \"unsorted_ns\": {:.2}, \"sorted_ns\": {:.2}, \"memory_bytes\": {memory_bytes}}}",
        answers.len(),
        unsorted_ns as f64 / batch as f64,
        sorted_ns as f64 / batch as f64,
    );
}

fn sequence(path: &str, answers_path: &str) {
    let mut input = Input { bytes: fs::read(path).unwrap(), at: 0 };
    let encoded = input.blob();
    let offsets: Vec<usize> = input.words().iter().map(|&offset| offset as usize).collect();
    let masked: Vec<u32> = input.words().iter().map(|&offset| offset as u32).collect();
    let read = read_row_ids(&encoded).unwrap();
    let size = read.len() as usize;
    let mut answers: Vec<u64> = read.iter().collect();
    answers.extend(offsets.iter().map(|&offset| read.get(offset).unwrap()));

    let read_ns = least(5, || {
        std::hint::black_box(read_row_ids(&encoded).unwrap());
    });
    let write_ns = least(5, || {
        std::hint::black_box(write_row_ids(&read));
    });
    let mut looked = 0;
    let start = cpu_ns();
    for &offset in &offsets {
        std::hint::black_box(read.get(offset));
        looked += 1;
        if looked % 16 == 0 && cpu_ns() - start > 1_000_000_000 {
            break;
        }
    }
    let get_ns = (cpu_ns() - start) as f64 / looked as f64;
    let mut buffer = Vec::with_capacity(size);
    let iterate_ns = least(3, || {
        buffer.clear();
        buffer.extend(read.iter());
        std::hint::black_box(&buffer);
    });
    // What compaction does with a piece: cut it out as a sequence of its own.
    let slice_ns = least(3, || {
        let middle = size / 2;
        let piece: Vec<u64> = read.slice(middle, 1000).iter().collect();
        std::hint::black_box(RowIdSequence::from(piece.as_slice()));
    });
    let mut left = read.clone();
    left.mask(masked.iter().copied()).unwrap();
    answers.extend(left.iter());
    let mask_ns = least(3, || {
        let mut copy = read.clone();
        copy.mask(masked.iter().copied()).unwrap();
        std::hint::black_box(copy);
    });
    let sizes: Vec<u64> = vec![size as u64 / 4; 4].into_iter().chain([size as u64 % 4]).collect();
    let rechunk_ns = least(3, || {
        std::hint::black_box(rechunk_sequences([read.clone()], sizes.clone(), false).unwrap());
    });
    for chunk in rechunk_sequences([read.clone()], sizes, false).unwrap() {
        answers.extend(chunk.iter());
    }
    write_words(answers_path, &answers);
    println!(
        "{{\"read_ns\": {read_ns}, \"write_ns\": {write_ns}, \"get_ns\": {get_ns:.2}, \"iterate_ns\": {iterate_ns}, \"slice_ns\": {slice_ns}, \"mask_ns\": {mask_ns}, \"rechunk_ns\": {rechunk_ns}}}"
    );
}

fn lineage(path: &str, answers_path: &str) {
    let mut input = Input { bytes: fs::read(path).unwrap(), at: 0 };
    let encoded = input.blob();
    let offsets: Vec<usize> = input.words().iter().map(|&offset| offset as usize).collect();
    let read = read_dataset_versions(&encoded).unwrap();
    let mut answers: Vec<u64> = read.versions().collect();
    let read_ns = least(3, || {
        std::hint::black_box(read_dataset_versions(&encoded).unwrap());
    });
    let write_ns = least(3, || {
        std::hint::black_box(write_dataset_versions(&read));
    });
    let mut looked = 0;
    let start = cpu_ns();
    for &offset in &offsets {
        answers.push(read.version_at(offset).unwrap());
        looked += 1;
        if looked == 200 {
            break;
        }
    }
    let at_ns = (cpu_ns() - start) as f64 / looked as f64;
    write_words(answers_path, &answers);
    println!("{{\"read_ns\": {read_ns}, \"write_ns\": {write_ns}, \"at_ns\": {at_ns:.2}}}");
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments[1].as_str() {
        "index" => index(&arguments[2], &arguments[3], arguments[4].parse().unwrap()),
        "sequence" => sequence(&arguments[2], &arguments[3]),
        "lineage" => lineage(&arguments[2], &arguments[3]),
        other => panic!("unknown job {other}"),
    }
}
