//! The compiler wrappers alone, for tests, which have no `gabion` at hand: `gabion-wrappers cc|c++ ARGUMENTS…`, and
//! `gabion-wrappers build SOURCE FLAGS…`, which prints where it left the executable.

use std::ffi::OsString;
use std::path::Path;
use std::process::exit;

use gabion_native::build::{
    BuildError, BuildOptions, Language, Shim, build_source, run_as, run_compiler, run_ld, shim_role,
};

fn main() {
    let args: Vec<OsString> = std::env::args_os().collect();
    exit(dispatch(&args).unwrap_or_else(|error| {
        eprintln!("gabion: {error}");
        2
    }));
}

fn dispatch(args: &[OsString]) -> Result<i32, BuildError> {
    match shim_role(&args[0]) {
        Some(Shim::Assembler) => return run_as(args),
        Some(Shim::Linker) => return run_ld(args),
        None => {}
    }
    match args.get(1).and_then(|word| word.to_str()) {
        Some("cc") => run_compiler(Language::C, None, &args[2..]),
        Some("c++") => run_compiler(Language::Cxx, None, &args[2..]),
        Some("build") if args.len() > 2 => {
            let cflags = args[3..].iter().map(|flag| flag.to_string_lossy().into_owned()).collect();
            let built = build_source(Path::new(&args[2]), &BuildOptions { compiler: None, cflags })?;
            println!("{}", built.keep().display());
            Ok(0)
        }
        _ => {
            eprintln!("usage: gabion-wrappers cc|c++ ARGUMENTS... | build SOURCE FLAGS...");
            Ok(2)
        }
    }
}
