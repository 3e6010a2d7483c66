//! `gabion cc`, `gabion c++` and `gabion rustc`: drop-in compilers.
//!
//! Their arguments belong to the compiler, `--help` and `--version` included (build systems ask for them), so they are
//! taken before clap sees them. `--compiler NAME`, if it comes first, is ours.

use gabion_native::build::{self, Language};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

/// For the list of subcommands only.
#[derive(Debug, clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Cc {
    /// Everything is handed to the compiler; `--compiler NAME` in front chooses it (else CC, CXX or RUSTC, gcc, clang)
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

/// Runs the compiler if that is what is asked for.
pub(crate) fn before_clap(args: &[OsString]) -> Option<ExitCode> {
    let language = match args.get(1)?.to_str()? {
        "cc" => Some(Language::C),
        "c++" => Some(Language::Cxx),
        "rustc" => None,
        _ => return None,
    };
    let (compiler, rest) = match args[2..].split_first() {
        Some((first, rest)) if first == "--compiler" && !rest.is_empty() => (Some(PathBuf::from(&rest[0])), &rest[1..]),
        Some((first, rest)) => match first.to_str().and_then(|word| word.strip_prefix("--compiler=")) {
            Some(name) => (Some(PathBuf::from(name)), rest),
            None => (None, &args[2..]),
        },
        None => (None, &args[2..]),
    };
    Some(crate::exit::of_tool(match language {
        Some(language) => build::run_compiler(language, compiler.as_deref(), rest),
        None => build::run_rustc(compiler.as_deref(), rest),
    }))
}
