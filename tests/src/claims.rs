//! Statements of a report that must agree with each other, whatever was checked.

use serde_json::Value;

/// Runs that a report counts are those of its kinds, and those of its state spaces.
pub fn runs_add_up(json: &Value) -> Result<(), String> {
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let runs = number(&json["runs"]);
    let kinds = ["complete_runs", "blocked_runs", "cut_runs", "abandoned_runs"];
    let by_kind: u64 = kinds.iter().map(|kind| number(&json[*kind])).sum();
    let spaces = json["state_spaces"].as_array().map_or(&[][..], Vec::as_slice);
    let by_space: u64 = spaces.iter().map(|space| number(&space["runs"])).sum();
    if runs != by_kind || runs != by_space {
        return Err(format!("{runs} runs are reported, {by_kind} by their kinds, {by_space} by their state spaces"));
    }
    Ok(())
}
