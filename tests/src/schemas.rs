//! Outputs held against the schemas that others have published. `test.sh` fetches these, from packages that carry them, into
//! the target directory, and installs what judges by them. Without either a test fails and says so.

use crate::run::target;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Is it a SARIF document by the schema of OASIS?
pub fn is_sarif(file: &Path) -> Result<(), String> {
    let schema = schema("sarif-2.1.0.json")?;
    ask("jsonschema", &["--instance".as_ref(), file, &schema]).map(drop)
}

/// Is it a JUnit report by the schema of Jenkins' xUnit plugin?
pub fn is_junit(file: &Path) -> Result<(), String> {
    let schema = schema("junit-10.xsd")?;
    ask("xmllint", &["--noout".as_ref(), "--nonet".as_ref(), "--schema".as_ref(), &schema, file]).map(drop)
}

/// What an XPath expression gives in an XML file.
pub fn xpath(file: &Path, expression: &str) -> Result<String, String> {
    let found = ask("xmllint", &["--xpath".as_ref(), expression.as_ref(), file])?;
    Ok(found.strip_suffix('\n').unwrap_or(&found).to_string())
}

fn schema(name: &str) -> Result<PathBuf, String> {
    let path = target().join("schemas").join(name);
    if path.exists() { Ok(path) } else { Err(format!("{} is not there; ./test.sh fetches it", path.display())) }
}

fn ask(tool: &str, args: &[&Path]) -> Result<String, String> {
    let output = Command::new(tool)
        .args(args)
        .output()
        .map_err(|error| format!("{tool} cannot be started ({error}); ./test.sh installs it"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(format!("{tool}: {}{}", text(&output.stdout), text(&output.stderr))),
    }
}
