//! Builds the runtime library with the same compiler and keeps its bytes for `library.rs`.
//!
//! The runtime is `no_std`, exports the names of libc's functions and must end up as a shared object of its own, so it
//! cannot be an ordinary dependency. Two direct compiler calls do it: no nested cargo, no environment to inherit.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const FLAGS: &[&str] = &[
    "--edition=2024",
    "-Copt-level=3",
    "-Cpanic=abort",
    "-Cstrip=debuginfo", // every command looks at its bytes
    "-Ccodegen-units=1",
    "-Cforce-frame-pointers=no",
    "-Cforce-unwind-tables=yes", // exceptions and pthread_exit unwind through us
    "-Crelocation-model=pic",
    "-Ctarget-feature=+cmpxchg16b,+popcnt", // atomics of 128 bits; who has fsgsbase can count bits
    "--cap-lints=warn",
];

/// What the compiler refers to by itself, and the runtime exports for the program: see runtime/src/libc/names.rs.
const WRAPPED: &str =
    "-Clink-arg=-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset,--wrap=memcmp,--wrap=bcmp,--wrap=strlen,--wrap=wcslen";

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let crates = here.parent().expect("crates/native has a parent");
    let trace = crates.join("trace/src");
    let runtime = crates.join("runtime/src");
    watch(&trace);
    watch(&runtime);

    let rlib = out.join("libgabion_trace.rlib");
    compile(&["--crate-type=rlib", "--crate-name=gabion_trace"], &trace.join("lib.rs"), &rlib, &[]);
    let names = out.join("libgabion_names.rlib");
    compile(
        &["--crate-type=rlib", "--crate-name=gabion_names", "--cfg=gabion_library"],
        &runtime.join("libc/names.rs"),
        &names,
        &[],
    );
    let library = out.join("libgabion_rt.so");
    let named = format!("gabion_names={}", names.display());
    let external = format!("gabion_trace={}", rlib.display());
    compile(
        &["--crate-type=cdylib", "--crate-name=gabion_rt"],
        &runtime.join("lib.rs"),
        &library,
        &[
            "--extern",
            &external,
            "--extern",
            &named,
            "--cfg=gabion_library",
            WRAPPED,
            "-Clink-arg=-Wl,-soname,libgabion_rt.so",
            "-Clink-arg=-Wl,-z,now",
            "-Clink-arg=-Wl,-z,nodelete",
            "-Clink-arg=-nostartfiles",
            "-Clink-arg=-lc",
        ],
    );
    println!("cargo::rustc-env=GABION_RUNTIME={}", library.display());
    println!("cargo::rustc-env=GABION_FINGERPRINT={:016x}", fingerprint(&here, &library));
}

/// FNV-1a of the library and of what is laid out beside it: names their directory, nothing more is asked of it.
fn fingerprint(here: &Path, library: &Path) -> u64 {
    let mut files = vec![library.to_path_buf()];
    for dir in ["gdb", "include"] {
        watch(&here.join(dir));
        collect(&here.join(dir), &mut files);
    }
    files[1..].sort();
    let bytes = files.iter().flat_map(|file| fs::read(file).expect("what is laid out can be read"));
    bytes.fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a directory of ours").flatten() {
        let path = entry.path();
        if path.is_dir() { collect(&path, files) } else { files.push(path) }
    }
}

fn compile(kind: &[&str], source: &Path, output: &Path, more: &[&str]) {
    let rustc = env::var_os("RUSTC").expect("cargo sets RUSTC");
    // The same bytes wherever it is built.
    let crates = source.ancestors().nth(3).expect("crates/NAME/src/lib.rs");
    let status = Command::new(rustc)
        .args(FLAGS)
        .arg(format!("--remap-path-prefix={}=gabion", crates.display()))
        .args(kind)
        .args(more)
        .arg(source)
        .arg("-o")
        .arg(output)
        .status()
        .expect("rustc starts");
    assert!(status.success(), "the runtime library does not build");
}

fn watch(dir: &Path) {
    println!("cargo::rerun-if-changed={}", dir.display());
    for entry in fs::read_dir(dir).expect("source directory").flatten() {
        let path = entry.path();
        if path.is_dir() { watch(&path) } else { println!("cargo::rerun-if-changed={}", path.display()) }
    }
}
