//! The file of a kept campaign: one line that names format, version, length and checksum, then the campaign, as one JSON object.
//!
//! As in a trace file every byte counts, those of the first line too: a damaged campaign would be searched on from a place
//! where no search was, and could end as *verified*. The file is replaced as a whole (written under another name, synced,
//! renamed, the directory synced), so a process that is killed, or a machine that stops, leaves the one before. As long as the
//! [`Keeper`] lives it holds a lock in the directory; the kernel gives that back however the process ends.

use crate::settings::CampaignError;
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Of the campaign's format. Versions up to 6 had no checksum.
const VERSION: u32 = 7;
/// The file in the directory.
const FILE: &str = "campaign.json";
/// The file whose lock says that a process works on the campaign.
const LOCK: &str = "lock";
/// How the file begins, before the version.
const HEADING: &str = r#"{"format":"gabion campaign "#;
/// What the files of versions without a checksum began with.
const WITHOUT_CHECKSUM: &[u8] = br#"{"version":"#;
/// What to do where nothing can be written.
const ELSEWHERE: &str = "name a directory that can be written with --resume";
/// What to do with a file that cannot be used.
const AFRESH: &str = "remove it to begin the campaign afresh, or name another directory with --resume";

/// Has a campaign's directory to itself, and reads and replaces the file in it.
#[derive(Debug)]
pub(crate) struct Keeper {
    directory: PathBuf,
    path: PathBuf,
    /// Held, never read.
    _lock: File,
}

impl Keeper {
    /// Takes the directory, made if need be. A directory that another process has is refused.
    pub(crate) fn new(directory: &Path) -> Result<Self, CampaignError> {
        let unwritable = |path: &Path, what: &str, error| failed(path, what, format!("{error}; {ELSEWHERE}"));
        std::fs::create_dir_all(directory).map_err(|error| unwritable(directory, "make", error))?;
        let lock = directory.join(LOCK);
        match gabion_native::try_lock(&lock) {
            Ok(Some(held)) => {
                Ok(Keeper { directory: directory.to_path_buf(), path: directory.join(FILE), _lock: held })
            }
            Ok(None) => {
                let why = "another gabion is at work on it; wait for its end, or name another directory with --resume";
                Err(failed(directory, "go on with the campaign in", why))
            }
            Err(error) => Err(unwritable(&lock, "lock", error)),
        }
    }

    /// The file's campaign, checked; `None` if there is no file.
    pub(crate) fn read(&self) -> Result<Option<Vec<u8>>, CampaignError> {
        let refused = |error: String| failed(&self.path, "go on with", error);
        match std::fs::metadata(&self.path) {
            Ok(found) if found.is_file() => {}
            Ok(_) => return Err(refused(format!("it is no regular file; {AFRESH}"))),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(refused(format!("{error}; {AFRESH}"))),
        }
        let bytes = std::fs::read(&self.path).map_err(|error| refused(format!("{error}; {AFRESH}")))?;
        body(bytes).map(Some).map_err(refused)
    }

    /// The campaign in the file is sound, but cannot be taken up.
    pub(crate) fn refuse(&self, why: &str) -> CampaignError {
        failed(&self.path, "go on with", why)
    }

    /// The file says what no campaign of this version says.
    pub(crate) fn damaged(&self, why: impl std::fmt::Display) -> CampaignError {
        failed(&self.path, "go on with", damage(why))
    }

    /// The campaign is of another version of gabion.
    pub(crate) fn other_version(&self) -> CampaignError {
        failed(&self.path, "go on with", foreign())
    }

    /// Puts this campaign in the place of the one before.
    pub(crate) fn write(&self, campaign: &str) -> Result<(), CampaignError> {
        let new = self.directory.join(format!("{FILE}.new"));
        let unwritable = |error| failed(&self.path, "write", format!("{error}; {ELSEWHERE}"));
        let body = format!("\"campaign\":{campaign}}}\n");
        let mut file = File::create(&new).map_err(unwritable)?;
        file.write_all(heading(body.as_bytes()).as_bytes()).map_err(unwritable)?;
        file.write_all(body.as_bytes()).map_err(unwritable)?;
        file.sync_all().map_err(unwritable)?;
        std::fs::rename(&new, &self.path).map_err(unwritable)?;
        // The file is whole, whichever of the two a machine that stops now comes back with.
        let _ = File::open(&self.directory).and_then(|directory| directory.sync_all());
        Ok(())
    }
}

fn failed(path: &Path, what: &str, error: impl std::fmt::Display) -> CampaignError {
    CampaignError::Resume(format!("cannot {what} {}: {error}", path.display()))
}

fn damage(why: impl std::fmt::Display) -> String {
    format!("the kept campaign is damaged ({why}); {AFRESH}")
}

fn foreign() -> String {
    format!("the campaign was kept by another version of gabion; {AFRESH}")
}

/// The first line of a file with this body.
fn heading(body: &[u8]) -> String {
    format!("{HEADING}{VERSION} {} {:08x}\",\n", body.len(), crc32fast::hash(body))
}

/// The campaign in a file with these bytes, or why it cannot be used.
fn body(bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    let end = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1);
    let (first, body) = bytes.split_at(end);
    let first = String::from_utf8_lossy(first);
    if first == heading(body) {
        let campaign = body.strip_prefix(b"\"campaign\":").and_then(|rest| rest.strip_suffix(b"}\n"));
        return campaign.map(<[u8]>::to_vec).ok_or_else(|| damage("it holds no campaign"));
    }
    let version = first.strip_prefix(HEADING).and_then(|rest| rest.split_once(' ')?.0.parse::<u32>().ok());
    match version {
        Some(other) if other != VERSION => Err(foreign()),
        None if bytes.starts_with(WITHOUT_CHECKSUM) => Err(foreign()),
        _ => Err(damage("its checksum does not fit")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(campaign: &str) -> Vec<u8> {
        let body = format!("\"campaign\":{campaign}}}\n");
        [heading(body.as_bytes()).into_bytes(), body.into_bytes()].concat()
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(body(file("{\"a\":1}")), Ok(b"{\"a\":1}".to_vec()));
        let whole: serde_json::Value = serde_json::from_slice(&file("{\"a\":1}")).expect("the file is JSON");
        assert_eq!(whole["campaign"]["a"], 1);
    }

    #[test]
    fn every_change_of_a_byte_is_seen() {
        let good = file("{\"size\":4}");
        for at in 0..good.len() {
            for change in 1..=255u8 {
                let mut bad = good.clone();
                bad[at] ^= change;
                assert!(body(bad).is_err(), "byte {at} changed by {change:#x}");
            }
            assert!(body(good[..at].to_vec()).is_err(), "cut at {at}");
        }
        assert!(body([&good[..], b" "].concat()).is_err(), "longer");
    }

    #[test]
    fn other_versions_are_told_from_damage() {
        let check = |text: &str, expected: &str| {
            let why = body(text.as_bytes().to_vec()).expect_err("it is refused");
            assert!(why.contains(expected) && why.contains("--resume"), "{why}");
        };
        check("{\"version\":6,\"program\":1}", "another version");
        check("{\"format\":\"gabion campaign 8 1 00000000\",\n", "another version");
        check("{\"format\":\"gabion campaign 7 1 00000000\",\n", "damaged");
        check("", "damaged");
        check("no JSON", "damaged");
    }
}
