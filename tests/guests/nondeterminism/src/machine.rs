//! What a program learns about its machine from the standard library.

use std::collections::{HashMap, HashSet};
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{env, fs, io, thread};

/// The time of day, and the duration of some work and of a sleep.
pub(crate) fn clocks() -> String {
    let (wall, monotonic) = (SystemTime::now(), Instant::now());
    let work: u64 = (0..200_000_u64).fold(1, |sum, number| black_box(sum.wrapping_mul(31) ^ number));
    let worked = monotonic.elapsed();
    thread::sleep(Duration::from_millis(250));
    let since_epoch = |time: SystemTime| time.duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{:?} {worked:?} {:?} {:?} {work}", since_epoch(wall), monotonic.elapsed(), since_epoch(SystemTime::now()))
}

/// The order of keys in a map, which depends on a random seed.
pub(crate) fn hash_map_order() -> String {
    let map: HashMap<u32, u32> = (0..500).map(|number| (number, number * number)).collect();
    let words: HashSet<String> = (0..500).map(|number| format!("word {number}")).collect();
    crate::digest(&(map.iter().collect::<Vec<_>>(), words.iter().collect::<Vec<_>>()))
}

/// Environment, arguments, folders, and the variables for time zone and language.
pub(crate) fn environment() -> String {
    let locale: Vec<_> = ["TZ", "LANG", "LC_ALL", "HOME", "PATH"].iter().map(env::var_os).collect();
    let places = (env::current_dir(), env::current_exe().is_ok());
    format!("{:?} {:?} {locale:?} {places:?}", env::vars_os().collect::<Vec<_>>(), env::args_os().collect::<Vec<_>>())
}

/// The metadata of files: times, sizes, permissions.
pub(crate) fn files() -> String {
    let look = |path: &str| -> io::Result<_> {
        let found = fs::metadata(path)?;
        Ok((path.to_owned(), found.len(), found.modified()?, found.accessed()?, found.permissions().readonly()))
    };
    let made = fs::write("/tmp/made", "text").and_then(|()| look("/tmp/made"));
    let error = |found: io::Result<_>| found.map_err(|error: io::Error| error.kind());
    let seen: Vec<_> = ["/workspace", "/workspace/src", "/proc/self/status", "/etc/localtime"].map(look).into();
    crate::digest(&(error(made), seen.into_iter().map(error).collect::<Vec<_>>()))
}

/// Names in the order in which they are listed.
pub(crate) fn listing() -> String {
    fn walk(folder: &Path, names: &mut Vec<String>) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            names.push(path.display().to_string());
            if path.is_dir() {
                walk(&path, names)?;
            }
        }
        Ok(())
    }
    let mut names = Vec::new();
    let ended = walk(Path::new("/workspace"), &mut names);
    format!("{} names, {} {:?}", names.len(), crate::digest(&names), ended.map_err(|error| error.kind()))
}

/// The bits of NaNs, which WebAssembly leaves to the processor.
#[expect(clippy::eq_op, clippy::cast_possible_truncation, reason = "these expressions make the NaNs")]
pub(crate) fn nan_bits() -> String {
    let (zero, infinity) = (black_box(0.0_f64), black_box(f64::INFINITY));
    let odd = black_box(f64::from_bits(0x7ff4_0000_0000_dead));
    let wide = [zero / zero, infinity - infinity, zero * infinity, black_box(-1.0_f64).sqrt(), odd + 1.0, -odd * 2.0];
    let narrow_zero = black_box(0.0_f32);
    let narrow = [narrow_zero / narrow_zero, black_box(f32::from_bits(0x7fa0_beef)) * 2.0, odd as f32];
    format!("{:x?} {:x?}", wide.map(f64::to_bits), narrow.map(f32::to_bits))
}

/// Sums that depend on the order of additions, and functions that libraries compute differently.
pub(crate) fn floating_point() -> String {
    let mut sum = black_box(0.0_f64);
    for number in 1..5000_u32 {
        let x = f64::from(number) / 7.0;
        sum += x.sin() * x.cos() + x.ln() - (x / 100.0).exp().sqrt() + x.powf(0.3).tanh() + x.mul_add(3.0, -x).atan();
    }
    format!("{:016x}", sum.to_bits())
}

/// Addresses of values.
pub(crate) fn addresses() -> String {
    let on_stack = black_box(7_u32);
    let heap: Vec<Box<[u8]>> = (1..200_usize).map(|size| vec![0; size * 37].into_boxed_slice()).collect();
    let of_heap: Vec<*const u8> = heap.iter().map(|held| held.as_ptr()).collect();
    crate::digest(&(&raw const on_stack, of_heap, addresses as fn() -> String as *const (), "constant".as_ptr()))
}

/// How many threads there may be, and whether one can be started.
pub(crate) fn threads() -> String {
    let count = thread::available_parallelism().map_err(|error| error.kind());
    let started = thread::Builder::new().spawn(|| ()).map(|_| ()).map_err(|error| error.kind());
    format!("{count:?} {started:?} {:?}", thread::current().id())
}
