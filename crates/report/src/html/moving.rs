//! Switches that can be moved: what happens when one comes earlier or later, from interleavings that were run.

use super::Bug;
use super::changes::{Turns, changes};
use gabion_trace::{NamedStep, Neighbour, NeighbourEnd, Switch};
use maud::{Markup, html};
use serde::Serialize;

/// What the page's script is told of a neighbour.
#[derive(Serialize)]
struct End {
    shift: i32,
    words: String,
    ink: &'static str,
    order: Turns,
}

impl Bug<'_> {
    /// All switches that have neighbours.
    pub(super) fn moving(&self) -> Markup {
        let switches = self.file.minimisation.as_ref().map_or(&[][..], |m| &m.switches);
        let movable: Vec<&Switch> = switches.iter().filter(|s| !s.neighbours.is_empty()).collect();
        html! {
            @if !movable.is_empty() {
                section aria-labelledby="moving" {
                    h2 #moving { "Move a switch" }
                    p.faint {
                        "What if a thread had been stopped a little earlier or later, and all others as before? Each of these interleavings was run; where another switch is not what it was, that is said."
                    }
                    @for switch in movable { (self.one(switch)) }
                }
            }
        }
    }

    fn one(&self, switch: &Switch) -> Markup {
        let mut neighbours: Vec<&Neighbour> = switch.neighbours.iter().collect();
        neighbours.sort_by_key(|n| n.shift);
        let order = runs_of(&self.file.steps);
        let switches = self.file.minimisation.as_ref().map_or(&[][..], |m| &m.switches);
        let at = switches.iter().take_while(|other| other.step < switch.step).count();
        let mut ends: Vec<End> = neighbours.iter().map(|n| end(n, changes(&order, at, n))).collect();
        ends.push(End { shift: 0, words: format!("as recorded: fails ({})", self.file.kind), ink: "bad", order });
        ends.sort_by_key(|e| e.shift);
        let (low, high) = (ends[0].shift, ends[ends.len() - 1].shift);
        let data = serde_json::to_string(&ends).expect("internal error: numbers and words are always valid JSON");
        html! {
            fieldset.moving data-ends=(data) {
                legend {
                    "Switch before "
                    (self.link(switch.step))
                    ": " (self.thread(switch.from)) " to " (self.thread(switch.to))
                }
                div.move.scripted {
                    button type="button" data-move="earlier" { "earlier" }
                    input type="range" min=(low) max=(high) value="0" step="1"
                        aria-label=(format!("Move the switch before step {}", switch.step + 1));
                    button type="button" data-move="later" { "later" }
                    output {}
                }
                div.ribbon.scripted aria-label="Who runs how many steps" {}
                details {
                    summary { "all of them" }
                    table {
                        thead { tr { th scope="col" { "moved by" } th scope="col" { "it" } th scope="col" { "who runs how many steps" } } }
                        tbody {
                            @for end in &ends {
                                tr { td { (moved(end.shift)) } td class=(end.ink) { (end.words) } td { (ribbon(&end.order)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn moved(shift: i32) -> String {
    let steps = |n: u32| format!("{n} step{}", if n == 1 { "" } else { "s" });
    match shift {
        0 => "nothing".into(),
        1.. => format!("{} later", steps(shift.unsigned_abs())),
        _ => format!("{} earlier", steps(shift.unsigned_abs())),
    }
}

fn end(neighbour: &Neighbour, changes: String) -> End {
    let (words, ink) = match &neighbour.end {
        NeighbourEnd::Passes => ("passes".into(), "good"),
        NeighbourEnd::Fails => ("still fails".into(), "bad"),
        NeighbourEnd::Otherwise(how) => (format!("ends otherwise: {how}"), "mark"),
    };
    let (shift, order) = (neighbour.shift, neighbour.order.clone());
    End { shift, words: format!("{}: {words}{changes}", moved(shift)), ink, order }
}

fn ribbon(order: &Turns) -> Markup {
    html! { div.ribbon { @for (thread, count) in order { span { (thread) " ×" (count) } } } }
}

/// Who ran how many steps, one after the other.
fn runs_of(steps: &[NamedStep]) -> Turns {
    steps.chunk_by(|a, b| a.thread == b.thread).map(|run| (run[0].thread, run.len() as u32)).collect()
}
