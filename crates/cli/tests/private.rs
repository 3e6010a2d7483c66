//! Another user of the machine cannot have code run: directories that we load from are ours alone, or not used.

mod place;

use place::{Place, RACY, Ran, ran};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Somebody else.
const NOBODY: u32 = 65534;

fn me() -> u32 {
    std::fs::metadata("/proc/self").expect("this process").uid()
}

/// A check without a home, so that the cache is in the directory for temporary files.
fn check(place: &Place, temporary: &Path) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_gabion"))
        .args(["check", "racy.c"])
        .current_dir(place.0.path())
        .env_remove("XDG_CACHE_HOME")
        .env_remove("HOME")
        .env("TMPDIR", temporary)
        .stdin(Stdio::null())
        .output();
    ran(output.expect("gabion starts"))
}

/// A directory like `/tmp`, and where gabion's cache would be in it.
fn shared(place: &Place) -> (PathBuf, PathBuf) {
    let temporary = place.path("tmp");
    std::fs::create_dir(&temporary).expect("a directory");
    std::fs::set_permissions(place.0.path(), std::fs::Permissions::from_mode(0o755)).expect("its mode");
    std::fs::set_permissions(&temporary, std::fs::Permissions::from_mode(0o1777)).expect("its mode");
    let cache = temporary.join(format!("gabion-{}", me()));
    (temporary, cache)
}

fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("its mode");
}

/// The library that would be loaded, replaced by one of somebody else: were it loaded, the check could not find the bug.
fn refused(place: &Place, temporary: &Path, words: &str) {
    let ran = check(place, temporary);
    assert_eq!(ran.status, 2, "{}{}", ran.out, ran.err);
    for expected in [words, "is not used", "XDG_CACHE_HOME"] {
        assert!(ran.err.contains(expected), "{expected}: {}", ran.err);
    }
}

#[test]
fn a_cache_that_somebody_else_made() {
    if me() != 0 {
        return; // only root can be somebody else; the other tests have what anybody can make
    }
    let place = Place::new();
    place.write("racy.c", RACY);
    let (temporary, cache) = shared(&place);
    // What gabion itself would have made there, made by somebody else, and open to everybody.
    assert_eq!(check(&place, &temporary).status, 1, "without an attack the bug is found");
    let copy = temporary.join("copy");
    let as_nobody = |line: &str| {
        let line = line.replace("CACHE", &cache.display().to_string()).replace("COPY", &copy.display().to_string());
        let mut command = Command::new("sh");
        let status = command.arg("-c").arg(line).uid(NOBODY).gid(NOBODY).stderr(Stdio::null()).status();
        status.expect("sh starts").success()
    };
    assert!(!as_nobody("touch CACHE/evil"), "the cache is for its owner alone");
    assert!(!as_nobody("mv CACHE COPY"), "it stays where it is");
    mode(&cache, 0o755);
    assert!(as_nobody("cp -r CACHE COPY"));
    std::fs::remove_dir_all(&cache).expect("the cache goes");
    assert!(as_nobody("mv COPY CACHE"));
    refused(&place, &temporary, "it belongs to another user (65534)");
    // A link to it, under our name.
    std::fs::rename(&cache, &copy).expect("another name");
    symlink(&copy, &cache).expect("a link");
    refused(&place, &temporary, "symbolic link");
    std::fs::remove_file(&cache).expect("the link goes");
    // A directory of ours with a library of theirs is put in order.
    assert_eq!(check(&place, &temporary).status, 1);
    let library = library(&cache);
    let good = std::fs::read(&library).expect("the library");
    std::fs::write(&library, "not a library").expect("a file");
    std::os::unix::fs::chown(&library, Some(NOBODY), Some(NOBODY)).expect("another owner");
    assert_eq!(check(&place, &temporary).status, 1);
    assert_eq!((std::fs::read(&library).expect("the library"), owner(&library)), (good, 0));
    // Above the cache.
    let theirs = temporary.join("theirs");
    std::fs::create_dir(&theirs).expect("a directory");
    std::os::unix::fs::chown(&theirs, Some(NOBODY), Some(NOBODY)).expect("another owner");
    refused(&place, &theirs, "it belongs to another user (65534)");
}

fn library(cache: &Path) -> PathBuf {
    let entries = std::fs::read_dir(cache).expect("the cache").flatten().map(|entry| entry.path());
    let library = entries.map(|path| path.join("libgabion_rt.so")).find(|path| path.exists());
    library.expect("the runtime library is there")
}

fn owner(path: &Path) -> u32 {
    std::fs::metadata(path).expect("it is there").uid()
}

#[test]
fn a_cache_that_others_can_write() {
    let place = Place::new();
    place.write("racy.c", RACY);
    let (temporary, cache) = shared(&place);
    std::fs::create_dir(&cache).expect("a directory");
    mode(&cache, 0o777);
    refused(&place, &temporary, "other users can write to it");
    mode(&cache, 0o770);
    refused(&place, &temporary, "other users can write to it");
    std::fs::remove_dir(&cache).expect("it is empty");
    std::fs::create_dir(place.path("elsewhere")).expect("a directory");
    symlink(place.path("elsewhere"), &cache).expect("a link");
    refused(&place, &temporary, "symbolic link");
    std::fs::remove_file(&cache).expect("the link goes");
    std::fs::write(&cache, "").expect("a file");
    refused(&place, &temporary, "no directory");
    std::fs::remove_file(&cache).expect("the file goes");
    mode(&temporary, 0o777);
    refused(&place, &temporary, "no sticky bit");
    mode(&temporary, 0o1777);
    let ran = check(&place, &temporary);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert_eq!(std::fs::metadata(&cache).expect("the cache").mode() & 0o777, 0o700);
}

#[test]
fn what_is_damaged_or_open_in_the_cache_is_made_again() {
    let place = Place::new();
    place.write("racy.c", RACY);
    let (temporary, cache) = shared(&place);
    assert_eq!(check(&place, &temporary).status, 1);
    let library = library(&cache);
    let good = std::fs::read(&library).expect("the library");
    let check_after = |what: &str, change: &dyn Fn()| {
        change();
        let ran = check(&place, &temporary);
        assert_eq!(ran.status, 1, "{what}: {}{}", ran.out, ran.err);
        assert!(std::fs::read(&library).expect("the library") == good, "{what}: the library is as it was");
        let found = std::fs::symlink_metadata(&library).expect("the library");
        assert!(found.is_file() && found.mode() & 0o022 == 0, "{what}: nobody else can write it");
        let entries = std::fs::read_dir(&cache).expect("the cache").flatten();
        let names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        assert!(names.iter().all(|name| name.starts_with("rt-") || name.starts_with("tools-")), "{what}: {names:?}");
    };
    let flipped = || {
        let mut bytes = good.clone();
        bytes[good.len() / 2] ^= 1;
        bytes
    };
    check_after("a byte changed", &|| std::fs::write(&library, flipped()).expect("a file"));
    check_after("cut off", &|| std::fs::write(&library, &good[..99]).expect("a file"));
    check_after("gone", &|| std::fs::remove_file(&library).expect("it goes"));
    check_after("open to all", &|| mode(&library, 0o666));
    check_after("its directory open to all", &|| mode(library.parent().expect("a directory"), 0o777));
    check_after("a link", &|| {
        std::fs::rename(&library, temporary.join("other.so")).expect("another name");
        symlink(temporary.join("other.so"), &library).expect("a link");
    });
    let tools = std::fs::read_dir(&cache).expect("the cache").flatten().map(|entry| entry.path());
    let tools = tools.into_iter().find(|path| path.to_string_lossy().contains("tools-")).expect("the tools");
    check_after("another linker", &|| {
        std::fs::remove_file(tools.join("ld")).expect("the link goes");
        symlink("/bin/false", tools.join("ld")).expect("a link");
    });
    check_after("tools open to all", &|| mode(&tools, 0o777));
}
