//! Pages in a real browser: they are opened, stepped through, searched, and their switches moved.
//!
//! Chromium runs without a window. What a person would do is done by a script that is added to a copy of the page, after one
//! that listens for errors; the page as it is then is printed, and the script's findings with it.

#![forbid(unsafe_code)]

use gabion_tests::run::{LIMIT, call};
use gabion_tests::workspace;
use std::path::Path;
use std::process::Command;

/// Before the page's own script.
const LISTEN: &str = "<script>
window.wrong = [];
const note = (what) => window.wrong.push(String(what));
addEventListener('error', (e) => note(e.message));
addEventListener('unhandledrejection', (e) => note(e.reason));
document.addEventListener('securitypolicyviolation', (e) => note('blocked ' + e.blockedURI));
for (const level of ['error', 'warn']) console[level] = (...words) => note(words.join(' '));
</script>";

/// After it. `check(condition, words)` notes what is not so.
const BEFORE_ACTIONS: &str = "<script>
const check = (so, words) => { if (!so) note(words); };
const key = (key) => document.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
const rows = () => Array.from(document.querySelectorAll('#interleaving tr.one'));
const now = () => rows().findIndex((row) => row.classList.contains('now'));
try {";

/// The result waits for what is told later, of a request that was refused for example.
const AFTER_ACTIONS: &str = "
} catch (error) { note(error); }
setTimeout(() => {
  check(performance.getEntriesByType('resource').length === 0, 'something was fetched');
  const end = document.createElement('p');
  end.id = 'test-result';
  end.textContent = 'wrong: ' + JSON.stringify(window.wrong);
  top.document.body.append(end);
}, 500);
</script>";

/// Milliseconds that a page is given; the browser does not really wait for timers.
const TIME: &str = "--virtual-time-budget=5000";

const STEPPING: &str = "
check(rows().length > 3, 'steps');
check(now() >= 0, 'a step is current from the start');
key('Home'); check(now() === 0, 'Home');
key('j'); check(now() === 1, 'j');
key('ArrowUp'); check(now() === 0, 'arrow up');
key('n'); check(now() > 0 && rows()[now()].dataset.thread !== rows()[now() - 1].dataset.thread, 'n goes to a switch');
document.querySelector('[data-do=next]').click();
check(document.querySelector('#said').textContent.startsWith('Step '), 'what is current is said');
check(document.querySelector('#source-here .here'), 'the source of the step is shown');
const stack = document.querySelector('section[aria-labelledby=stacks] details'), open = stack.open;
stack.querySelector('summary').click(); check(stack.open !== open, 'a stack closes');
stack.querySelector('summary').click(); check(stack.open === open && stack.open, 'and opens');
check(stack.querySelector('li').textContent.includes('lost_update.c:19'), 'a stack has its places');
const find = document.querySelector('#find');
find.value = 'counter'; find.dispatchEvent(new Event('input'));
check(rows().some((row) => row.classList.contains('found')), 'something is found');
check(rows().some((row) => !row.classList.contains('found')), 'not everything is found');
find.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
check(rows()[now()].classList.contains('found'), 'Enter goes to what was found');
find.value = 'nothing is called that'; find.dispatchEvent(new Event('input'));
check(document.querySelector('#hits').textContent === '0 steps', 'nothing is found');
const links = Array.from(document.querySelectorAll('#interleaving .access a[data-step]'));
for (const link of links) {
  link.click(); check(now() === Number(link.dataset.step), 'a conflict leads to its step');
  check(document.getElementById(link.hash.slice(1)) === rows()[now()], 'without script too');
}
const leads = (link) => Number(link.dataset.step) - Number(link.closest('tr').dataset.index);
check(links.some((link) => leads(link) < 0) && links.some((link) => leads(link) > 0), 'both ways');
const box = document.querySelector('fieldset.moving');
check(box, 'a switch can be moved');
const slider = box.querySelector('input[type=range]'), outcome = () => box.querySelector('output').textContent;
check(outcome().startsWith('as recorded: fails'), 'it fails where it is');
const ends = JSON.parse(box.dataset.ends);
for (const end of ends) {
  slider.value = end.shift; slider.dispatchEvent(new Event('input'));
  check(outcome() === end.words, 'moved by ' + end.shift);
  check(box.querySelectorAll('.ribbon.scripted span').length === end.order.length, 'who ran');
}
slider.value = 0; slider.dispatchEvent(new Event('input'));
const button = (way) => box.querySelector('[data-move=' + way + ']');
button(ends[0].shift < 0 ? 'earlier' : 'later').click();
check(!outcome().startsWith('as recorded'), 'a button moves it too');
for (const [way, back, end] of [['earlier', 'later', ends[0]], ['later', 'earlier', ends[ends.length - 1]]]) {
  for (let clicks = 0; clicks < ends.length && !button(way).disabled; clicks += 1) button(way).click();
  check(button(way).disabled && !button(back).disabled, 'at the end there is nothing ' + way);
  check(outcome() === end.words, 'the end is reached: ' + way);
}
slider.value = 0; slider.dispatchEvent(new Event('input'));
check(button('earlier').disabled === (ends[0].shift === 0), 'back where it was');
check(ends.some((end) => end.words.endsWith('passes')), 'somewhere it passes');
document.querySelector('[data-do=theme]').click();
check(['dark', 'light'].includes(document.documentElement.dataset.theme), 'the theme changes');";

/// Opens a page with a script of ours in it, and gives what went wrong.
fn drive(directory: &Path, page: &str, actions: &str) -> String {
    drive_in(directory, page, actions, &[])
}

/// The same in a window of some kind.
fn drive_in(directory: &Path, page: &str, actions: &str, window: &[&str]) -> String {
    drive_framed(directory, page, actions, None, window)
}

/// The same; if a width is given, in a frame of that width.
fn drive_framed(directory: &Path, page: &str, actions: &str, width: Option<u32>, window: &[&str]) -> String {
    let text = std::fs::read_to_string(directory.join(page)).expect("the page was written");
    assert_eq!(refers_to(&text), None, "the page refers to something else");
    let listening = text.replacen("<style>", &format!("{LISTEN}<style>"), 1);
    let (before, after) = listening.split_once("</body>").expect("a page has an end");
    let driven = format!("{before}{BEFORE_ACTIONS}{actions}{AFTER_ACTIONS}</body>{after}");
    let path = directory.join("driven.html");
    let driven = width.map_or_else(|| driven.clone(), |width| framed(&driven, width));
    std::fs::write(&path, driven).expect("the page is written");
    let page = format!("file://{}", path.display());
    let dom = browser(directory, &[&["--dump-dom", TIME, &page], window].concat());
    let result = dom.rsplit_once("id=\"test-result\">").expect("the script came to its end").1;
    result.split("</p>").next().unwrap_or_default().to_string()
}

/// What would make a browser fetch something for a page, if it has any of it.
fn refers_to(page: &str) -> Option<&'static str> {
    ["://", "=\"//", "src=", "srcset=", "url(", "@import", "<link"].into_iter().find(|words| page.contains(words))
}

/// A page that has another in a frame, which shows here what it has found.
fn framed(page: &str, width: u32) -> String {
    let inner = page.replace('&', "&amp;").replace('"', "&quot;");
    format!("<!DOCTYPE html><iframe width=\"{width}\" height=\"900\" style=\"border: 0\" srcdoc=\"{inner}\"></iframe>")
}

/// Chromium without a window and without anything of its own on the network; what it printed.
fn browser(directory: &Path, args: &[&str]) -> String {
    let profile = tempfile::tempdir().expect("a temporary directory can be made");
    let output = Command::new("timeout")
        .args(["90", "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(args)
        .current_dir(directory)
        .output()
        .expect("chromium starts");
    assert!(output.status.success(), "chromium: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn page_of(directory: &Path, program: &str, options: &[&str], status: i32) {
    let program = workspace().join("programs").join(program).display().to_string();
    let args = [&["check", &program, "--html", "page.html"][..], options].concat();
    let args: Vec<String> = args.iter().map(|a| a.to_string()).collect();
    let output = call(directory, &args, LIMIT).expect("check ends");
    assert_eq!(output.code(), Ok(status), "{}", output.tail());
}

#[test]
fn a_bug_is_stepped_through_searched_and_its_switches_moved() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    page_of(directory.path(), "basics/lost_update.c", &[], 1);
    assert_eq!(drive(directory.path(), "page.html", STEPPING), "wrong: []");
}

#[test]
fn a_campaign_without_a_bug_has_a_page() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    page_of(directory.path(), "deepening/hopeless.c", &["--budget-runs", "20000"], 3);
    let actions = "
        check(document.querySelector('h1').textContent.startsWith('partial'), 'the verdict');
        check(document.querySelectorAll('#jobs ~ .wide tbody tr').length > 3, 'state spaces');
        const row = (at) => Array.from(document.querySelectorAll('.lines tbody tr')).find((one) => one.cells[0].textContent.endsWith(at));
        check(row('hopeless.h:29').textContent.includes('! untested race'), 'an untested race');
        check(row('hopeless.h:21').textContent.includes('… open'), 'a point that is open');
        check(document.querySelector('svg.plot polyline'), 'a plot');";
    assert_eq!(drive(directory.path(), "page.html", actions), "wrong: []");
    page_of(directory.path(), "basics/locked_update.c", &[], 0);
    let actions = "
        check(document.querySelector('h1').textContent.startsWith('verified'), 'the verdict');
        check(Array.from(document.querySelectorAll('.lines tbody tr')).every((one) => one.textContent.includes('✓ covered')), 'covered');";
    assert_eq!(drive(directory.path(), "page.html", actions), "wrong: []");
}

/// Five threads, and names of the standard library's files: nothing is wider than the window, but for a table that scrolls in itself.
#[test]
fn a_page_is_as_wide_as_its_window() {
    const PROGRAM: &str = "use std::sync::{Arc, Mutex};\nfn main() {\n    let locks: Vec<_> = (0..4).map(|_| Arc::new(Mutex::new(0))).collect();\n    \
        let threads: Vec<_> = (0..4).map(|i| {\n        let (a, b) = (locks[i].clone(), locks[(i + 1) % 4].clone());\n        \
        std::thread::spawn(move || {\n            let _a = a.lock().unwrap();\n            let _b = b.lock().unwrap();\n        })\n    \
        }).collect();\n    threads.into_iter().for_each(|t| t.join().unwrap());\n}\n";
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    std::fs::write(directory.path().join("p.rs"), PROGRAM).expect("the program is written");
    let args = ["check", "p.rs", "--html", "page.html"].map(String::from);
    assert_eq!(call(directory.path(), &args, LIMIT).expect("check ends").code(), Ok(1));
    let actions = "
        document.querySelectorAll('details').forEach((one) => { one.open = true; });
        check(document.documentElement.scrollWidth <= innerWidth, 'as wide as ' + document.documentElement.scrollWidth);
        const row = rows()[now()];
        check(row.classList.contains('end') && row.textContent.includes('waits to lock'), 'it opens where somebody waits');
        check(document.querySelector('#said').textContent.startsWith('The end: T'), 'what is current is said');
        check(document.querySelector('#source-here .here')?.textContent.includes('b.lock()'), 'with its source');";
    for (width, height) in [(500, 900), (1300, 900)] {
        let window = format!("--window-size={width},{height}");
        assert_eq!(drive_in(directory.path(), "page.html", actions, &[&window]), "wrong: []", "{width}");
    }
}

/// Whatever is written can be read, and nothing is wider than the window but what scrolls in itself.
const LEGIBLE: &str = "
document.querySelectorAll('details').forEach((one) => { one.open = true; });
const page = document.documentElement;
check(innerWidth === WIDTH, 'the window is as wide as ' + innerWidth);
check(matchMedia('(prefers-color-scheme: dark)').matches === DARK, 'the theme');
check(page.scrollWidth <= innerWidth, 'as wide as ' + page.scrollWidth);
const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
const light = (colour) => {
  const [r, g, b] = parts(colour).map((part) => part / 255)
    .map((part) => part <= 0.03928 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (one) => {
  for (let at = one; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor;
    if ((parts(colour)[3] ?? 1) > 0) return colour;
  }
  return DARK ? 'rgb(0, 0, 0)' : 'rgb(255, 255, 255)';
};
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let seen = 0;
while (texts.nextNode()) {
  const text = texts.currentNode, one = text.parentElement;
  if (!text.data.trim() || one.matches('script, style') || !one.getClientRects().length) continue;
  const style = getComputedStyle(one);
  const [a, b] = [light(one.closest('svg') ? style.fill : style.color), light(behind(one))];
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  seen += 1;
  check(contrast >= 4.5, 'contrast ' + contrast.toFixed(2) + ': ' + text.data.trim().slice(0, 40));
}
check(seen > 30, 'texts: ' + seen);";

/// Chromium's window is never narrower than this.
const NARROWEST: u32 = 500;

/// A page in a window of this width, in the dark or not: what went wrong.
fn look(directory: &Path, page: &str, width: u32, dark: bool) -> String {
    let actions = LEGIBLE.replace("WIDTH", &width.to_string()).replace("DARK", &dark.to_string());
    let theme = format!("--blink-settings=preferredColorScheme={}", u8::from(!dark));
    let window = format!("--window-size={},900", width.max(NARROWEST));
    let framed = (width < NARROWEST).then_some(width);
    drive_framed(directory, page, &actions, framed, &[&window, &theme])
}

#[test]
fn pages_are_legible_in_every_width_and_theme() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let campaigns: [(&str, &[&str], i32); 4] = [
        ("basics/lost_update.c", &[], 1),
        ("basics/abba.c", &[], 1),
        ("deepening/hopeless.c", &["--budget-runs", "3000"], 3),
        ("scope/thesis_1.c", &["--within", "mutex_lock", "--without", "allocate"], 0),
    ];
    for (program, options, status) in campaigns {
        page_of(directory.path(), program, options, status);
        for (width, dark) in [(1280, false), (1280, true), (400, false), (400, true)] {
            assert_eq!(look(directory.path(), "page.html", width, dark), "wrong: []", "{program} {width} {dark}");
        }
    }
}

/// What is not so is noticed.
#[test]
fn the_test_can_fail() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    page_of(directory.path(), "basics/locked_update.c", &[], 0);
    let actions =
        "check(false, 'a condition'); console.error('said'); fetch('http://127.0.0.1:9/').catch(() => {}); nobody();";
    for wrong in [
        drive(directory.path(), "page.html", actions),
        drive_framed(directory.path(), "page.html", actions, Some(400), &[]),
    ] {
        for words in ["a condition", "said", "nobody", "blocked http://127.0.0.1:9"] {
            assert!(wrong.contains(words), "{words:?} is not in {wrong}");
        }
    }
    let page = std::fs::read_to_string(directory.path().join("page.html")).expect("the page was written");
    for more in [
        "<a href=\"http://a.b/\">",
        "<a href=\"https://a.b/\">",
        "<a href=\"//a.b/\">",
        "<img src=x.png>",
        "<link rel=icon href=x>",
        "<style>p { background: url(x.png) }</style>",
        "<style>@import 'x.css';</style>",
    ] {
        assert!(refers_to(&page).is_none() && refers_to(&format!("{page}{more}")).is_some(), "{more}");
    }
}
