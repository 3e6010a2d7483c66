//! A directory with files and a compiler, for tests of the wrappers. Fails if either compiler is missing.

#![allow(dead_code, reason = "every test file uses its own part")]

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use gabion_native::build::{Inspection, inspect};
use gabion_trace::CaveatKind;
use tempfile::TempDir;

pub const GABION: &str = env!("CARGO_BIN_EXE_gabion-wrappers");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    Gcc,
    Clang,
}

pub const BOTH: [Compiler; 2] = [Compiler::Gcc, Compiler::Clang];

/// A directory with files, and one of the compilers.
pub struct Project {
    dir: TempDir,
    pub compiler: Compiler,
}

impl Project {
    pub fn new(compiler: Compiler, files: &[(&str, &str)]) -> Project {
        let project = Project { dir: TempDir::new().expect("a temporary directory"), compiler };
        for (name, text) in files {
            let path = project.path(name);
            fs::create_dir_all(path.parent().expect("files are in a directory")).expect("a directory");
            fs::write(path, text).expect("a file");
        }
        project
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let (cc, cxx) = match self.compiler {
            Compiler::Gcc => ("gcc", "g++"),
            Compiler::Clang => ("clang", "clang++"),
        };
        let installed = Command::new(cc).arg("--version").output().is_ok_and(|output| output.status.success());
        assert!(installed, "{cc} is not installed; these tests need gcc and clang");
        let mut command = Command::new(program);
        command.current_dir(self.dir.path()).env("CC", cc).env("CXX", cxx).env("LC_ALL", "C");
        command
    }

    /// Runs `gabion cc` with the words of a line; it must succeed and say nothing on standard error.
    pub fn cc(&self, line: &str) -> String {
        let output = self.run("cc", line);
        self.quiet(line, output)
    }

    pub fn cxx(&self, line: &str) -> String {
        let output = self.run("c++", line);
        self.quiet(line, output)
    }

    pub fn quiet(&self, line: &str, output: Output) -> String {
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{:?} {line}: {}\n{said}", self.compiler, output.status);
        String::from_utf8(output.stdout).expect("text")
    }

    pub fn run(&self, language: &str, line: &str) -> Output {
        let mut command = self.command(GABION);
        command.arg(language).args(line.split_whitespace()).output().expect("gabion-wrappers starts")
    }

    pub fn inspect(&self, name: &str) -> Inspection {
        inspect(&self.path(name)).expect("an executable or shared library")
    }

    /// Kinds and places of the caveats of a program that was built by us.
    pub fn caveats(&self, name: &str) -> Vec<(CaveatKind, String)> {
        let inspection = self.inspect(name);
        assert!(inspection.built_by_gabion, "{name} was not built by gabion");
        inspection.caveats.into_iter().map(|caveat| (caveat.kind, caveat.place)).collect()
    }

    /// Functions that touch variables of a stack unannounced.
    pub fn on_stack(&self, name: &str) -> Vec<String> {
        let places = self.inspect(name).on_stack.into_iter().map(|caveat| caveat.place);
        let function = |place: String| place.split([' ', ':']).nth(3).expect("a function").to_owned();
        let mut functions: Vec<String> = places.map(function).collect();
        functions.dedup();
        functions
    }

    /// Runs a program that was built, by itself.
    pub fn runs(&self, name: &str) -> String {
        let output = self.command(self.path(name)).output().expect("the program starts");
        assert!(output.status.success(), "{name}: {output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    pub fn tool(&self, name: &str, line: &str) -> String {
        let output = self.command(name).args(line.split_whitespace()).output().expect("the tool starts");
        assert!(output.status.success(), "{name} {line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}
