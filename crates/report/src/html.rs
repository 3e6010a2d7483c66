//! Pages for a browser: one file each, without network, readable without script and better with it.

mod campaign;
mod changes;
mod moving;
mod steps;

use crate::stacks::{in_a_row, times};
use crate::text::{brief, counted, grouped, short};
use crate::visible::visible;
use crate::words::NO_STEPS;
use crate::{Sources, races};
use gabion_trace::{Frame, Interleaving, NamedRace, NamedWitness, ThreadId, TraceFile};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::collections::BTreeSet;

pub use campaign::{Moment, campaign_page};

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/page.js");
/// Nothing is fetched from anywhere.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// A bug as a page. `path` is the trace file, for replaying it.
pub fn bug_page(file: &TraceFile, sources: &Sources, path: Option<&str>) -> String {
    let bug = Bug { file, sources, again: steps::repeats(&file.rounds()) };
    page(&format!("{}: {}", file.kind, file.program.path.display()), &bug.body(path))
}

/// The frame of every page.
fn page(title: &str, body: &Markup) -> String {
    let whole = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) " – gabion" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (body)
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    // What the program printed or said may hold anything.
    visible(&whole.into_string())
}

/// What a page about a bug is made of.
struct Bug<'a> {
    file: &'a TraceFile,
    sources: &'a Sources,
    /// Steps that only repeat others, and are not shown.
    again: BTreeSet<usize>,
}

impl Bug<'_> {
    fn body(&self, path: Option<&str>) -> Markup {
        let file = self.file;
        html! {
            header {
                h1 { span.bad { (file.kind) } " " (self.sources.shorten(file.message.trim())) }
                p {
                    code { (self.sources.name(&file.program.path.display().to_string())) }
                    @if let Some(frame) = &file.location { ", at " (self.place(frame)) }
                    ". " (self.size())
                }
            }
            (self.explanation())
            (self.bar())
            main {
                @if file.steps.is_empty() {
                    section aria-labelledby="interleaving-heading" {
                        h2 #interleaving-heading { "The interleaving" }
                        p { (NO_STEPS) }
                        (self.where_it_is(&file.stack))
                    }
                } @else {
                    div.two {
                        section aria-labelledby="interleaving-heading" {
                            h2 #interleaving-heading { "The interleaving" }
                            (self.legend())
                            div.wide { (self.table("interleaving", &file.steps, true)) }
                        }
                        aside.scripted aria-label="Source of the step" {
                            h2 { "Source of the step" }
                            div #source-here {}
                        }
                    }
                }
                (self.moving())
                (self.others())
                (self.stacks())
                (self.races())
                (self.output())
                (self.statistics())
                (self.excerpts())
            }
            footer {
                @if let Some(path) = path {
                    p { "Run it again: " code { "gabion replay " (path) } ", under gdb: " code { "gabion replay " (path) " --gdb" } }
                }
                p { "gabion " (file.gabion) @if !file.command.is_empty() { ", " code { (file.command.join(" ")) } } }
            }
        }
    }

    fn size(&self) -> String {
        let count =
            |n: usize, one: &str, many: &str| format!("{} {}", grouped(n as u64), if n == 1 { one } else { many });
        let parts = [
            count(self.file.steps.len(), "step", "steps"),
            count(self.file.switches(), "switch", "switches"),
            count(self.file.preemptions, "preemption", "preemptions"),
        ];
        format!("{}.", parts.join(", "))
    }

    fn explanation(&self) -> Markup {
        let file = self.file;
        let told = |line: &&String| file.explanation.iter().any(|sentence| sentence.starts_with(line.as_str()));
        let untold: Vec<&String> = file.waiting.iter().filter(|line| !told(line)).collect();
        html! {
            @if !file.explanation.is_empty() {
                section aria-labelledby="how" {
                    h2 #how { "How it comes about" }
                    ol { @for line in &file.explanation { li { (self.sources.shorten(line)) } } }
                }
            }
            @if !untold.is_empty() {
                section aria-labelledby="waits" {
                    h2 #waits { "Who waits for what" }
                    ul { @for line in untold { li { (self.sources.shorten(line)) } } }
                }
            }
        }
    }

    fn bar(&self) -> Markup {
        let button =
            |what: &str, text: &str, key: &str| html! { button type="button" data-do=(what) title=(key) { (text) } };
        html! {
            nav.bar.scripted aria-label="Steps" {
                @if !self.file.steps.is_empty() {
                    (button("previous-switch", "⇤ switch", "p"))
                    (button("previous", "← step", "k or arrow up"))
                    (button("next", "step →", "j or arrow down"))
                    (button("next-switch", "switch ⇥", "n"))
                    label { "Find " input #find type="search" placeholder="a name, a thread, a line (/)"; }
                    span #hits role="status" {}
                }
                (button("theme", "light or dark", ""))
                span #said .faint role="status" aria-live="polite" {}
            }
        }
    }

    /// The interleaving as it was found, and the closest that passes.
    fn others(&self) -> Markup {
        let Some(m) = &self.file.minimisation else { return html! {} };
        let shown = |id: &str, title: &str, run: &Interleaving| {
            html! {
                details { summary { (title) " (" (counted(run.steps.len() as u64, "step")) ")" } div.wide { (self.table(id, &run.steps, false)) } }
            }
        };
        html! {
            @if m.passing.is_some() || m.original.is_some() {
                section aria-labelledby="others" {
                    h2 #others { "Other interleavings" }
                    @if let Some(passing) = &m.passing {
                        (shown("passing", "The closest one that passes", &passing.run))
                    }
                    @if let Some(original) = &m.original {
                        (shown("original", "As it was found first", original))
                    }
                }
            }
        }
    }

    /// The failing thread's stack, or those of all that wait for ever, and who else took part.
    fn stacks(&self) -> Markup {
        let file = self.file;
        let waits = if file.kind == "deadlock" { &file.blocked[..] } else { &[] };
        html! {
            @if !file.stack.is_empty() || !file.witnesses.is_empty() {
                section aria-labelledby="stacks" {
                    h2 #stacks { "Stacks" }
                    @for wait in waits {
                        details open { summary { (self.thread(wait.thread)) " " (wait.what) } (self.stack(&wait.stack)) }
                    }
                    @if waits.is_empty() && !file.stack.is_empty() {
                        details open { summary { "where it failed: " (self.thread(file.outcome.thread)) } (self.stack(&file.stack)) }
                    }
                    @for NamedWitness { what, stack } in &file.witnesses {
                        details { summary { (what) } (self.stack(stack)) }
                    }
                }
            }
        }
    }

    fn races(&self) -> Markup {
        let told = races::told_of(self.file);
        let race = |race: &NamedRace| {
            html! {
                tr {
                    td { code { (self.sources.shorten(&race.object)) } }
                    @for (access, stack) in race.accesses.iter().zip(&race.stacks) {
                        td { (self.sources.shorten(access)) details { summary { "stack" } (self.stack(stack)) } }
                    }
                    td {
                        (races::words(races::status(&race.status), race.takes_part))
                        @if let Some(orders) = &race.would_order { div { (self.sources.shorten(orders)) } }
                    }
                }
            }
        };
        html! {
            @if !told.is_empty() {
                section aria-labelledby="races" {
                    h2 #races { "Data races" }
                    div.wide { table.rows {
                        thead { tr { th scope="col" { "for" } th scope="col" { "one" } th scope="col" { "the other" } th scope="col" { "what became of it" } } }
                        tbody { @for one in told { (race(one)) } }
                    } }
                }
            }
        }
    }

    fn output(&self) -> Markup {
        html! {
            @if !self.file.output.trim().is_empty() {
                section aria-labelledby="printed" { h2 #printed { "The program printed" } pre { (self.file.output.trim_end()) } }
            }
        }
    }

    fn statistics(&self) -> Markup {
        let s = &self.file.statistics;
        html! {
            @if s.runs > 0 {
                section aria-labelledby="search" {
                    h2 #search { "The search" }
                    p {
                        (counted(s.runs, "run")) " in " (counted(s.state_spaces as u64, "state space")) " until the campaign was over, "
                        (grouped(s.failing_runs)) " of them failing"
                        @if s.blocked_runs > 0 { ", " (grouped(s.blocked_runs)) " of them cut short by the reduction" }
                        @if let Some(all) = s.estimate { "; estimated in all: " (grouped(all.round() as u64)) }
                        "."
                    }
                }
            }
        }
    }

    /// Every line of source that the file has.
    fn excerpts(&self) -> Markup {
        html! {
            @if !self.file.sources.is_empty() {
                section aria-labelledby="sources" {
                    h2 #sources { "Sources" }
                    @for (index, (name, lines)) in self.file.sources.iter().enumerate() {
                        details {
                            summary { (self.sources.name(name)) }
                            div.excerpt {
                                @for (number, text) in lines { div id=(line_id(index, *number)) { (format!("{number:>5}  {text}")) } }
                            }
                        }
                    }
                }
            }
        }
    }

    fn stack(&self, stack: &[Frame]) -> Markup {
        html! { ol.stack { @for (frame, count) in in_a_row(stack) { li { (self.place(frame)) (times(count)) } } } }
    }

    /// `file:line in function`, linked to the line if the file has it.
    fn place(&self, frame: &Frame) -> Markup {
        let function = frame.function.as_deref().map(short);
        let (Some(file), Some(line)) = (&frame.file, frame.line) else {
            return html! { code { (frame.module) @if let Some(f) = function { " " (f) } } };
        };
        let known = self.file.sources.keys().position(|name| name == file);
        let known = known.filter(|_| self.file.sources[file].contains_key(&line));
        let (name, whole) = (self.sources.name(file), format!("{file}:{line}"));
        let text = html! { (brief(name)) ":" (line) @if let Some(f) = function { " in " (f) } };
        match known {
            Some(index) => html! { a.place href=(format!("#{}", line_id(index, line))) { (text) } },
            None if brief(name) == name => html! { span.place { (text) } },
            None => html! { span.place title=(whole) { (text) } },
        }
    }

    fn thread(&self, thread: ThreadId) -> String {
        let name = self.file.threads.get(thread.index()).filter(|name| !name.is_empty());
        name.map_or(thread.to_string(), |name| format!("{thread} {}", short(name)))
    }
}

fn line_id(file: usize, line: u32) -> String {
    format!("s{file}-{line}")
}
