//! The programs: a function for each width and each way to touch memory, each in a line of its own, and a call of each that says what it
//! is expected to touch.

use super::Source;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Bytes.
const WIDTHS: [usize; 19] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 24, 32, 64];

/// What a function touches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touches {
    Reads,
    Writes,
    /// Reads the source and writes the target.
    Copies,
    /// Reads the source and the second source.
    ReadsTwo,
}

use Touches::*;

/// A program being written.
struct Writer {
    text: String,
    calls: String,
    what: BTreeMap<usize, String>,
    rust: bool,
}

impl Writer {
    fn new(head: &str, rust: bool) -> Writer {
        Writer { text: head.to_owned(), calls: String::new(), what: BTreeMap::new(), rust }
    }

    fn plain(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    /// Adds a function, and the call of it. `$p` in the call is the source, `$q` the target or the second source.
    fn function(&mut self, name: &str, code: &str, touches: Touches, bytes: usize, call: &str) {
        let line = self.text.lines().count() + 1;
        self.plain(code);
        self.what.insert(line, format!("{name} in line {line}"));
        let null = if self.rust { "null()" } else { "0" };
        let mut ask = |source: &str, target: &str, p: &str, q: &str| {
            let call = call.replace("$p", p).replace("$q", q);
            writeln!(self.calls, "gabion_expect({source}, {target}, {bytes}); {call}; gabion_compare({line});")
                .expect("writing to a string");
        };
        match touches {
            Reads => ask("p", null, "p", "q"),
            Writes => ask(null, "q", "p", "q"),
            Copies => ask("p", "q", "p", "q"),
            ReadsTwo => {
                ask("p", null, "p", "q");
                ask("p", null, "q", "p");
            }
        }
    }

    fn end(mut self, name: &'static str, before: &str, after: &str) -> Source {
        let calls = std::mem::take(&mut self.calls);
        self.plain(before);
        self.text += &calls;
        self.plain(after);
        Source { name, text: self.text, what: self.what }
    }
}

/// Elements that widths are made of: C's name, Rust's, bytes.
const ELEMENTS: [(&str, &str, usize); 4] =
    [("unsigned char", "u8", 1), ("unsigned short", "u16", 2), ("unsigned int", "u32", 4), ("unsigned long", "u64", 8)];

/// Ways of which larger elements may make a difference.
const ALSO: [&str; 5] = ["get", "give", "put", "copy", "same"];

const C_HEAD: &str = "#include <string.h>
#define F __attribute__((noinline))
#define KEEP(x) do { __typeof__(x) kept = (x); __asm__ volatile(\"\" : : \"r\"(&kept) : \"memory\"); } while (0)
#ifdef __cplusplus
extern \"C\" {
#endif
void gabion_expect(void *, void *, unsigned long);
void gabion_compare(int);
#ifdef __cplusplus
}
#include <algorithm>
#include <array>
#endif
";

const C_MAIN: &str =
    "static unsigned char source[64] __attribute__((aligned(64))), target[64] __attribute__((aligned(64)));
int main(void) {
void *volatile first = source, *volatile second = target; void *p = first, *q = second;";

/// What C and C++ have in common. Only clang knows vectors of any number of elements.
fn common(w: &mut Writer, elements: &[(&str, &str, usize)]) {
    for width in WIDTHS {
        for (element, rust, size) in elements.iter().copied().filter(|(.., size)| width % size == 0) {
            let t = format!("{rust}_{width}");
            w.plain(&format!(
                "typedef struct {{ {element} m[{}]; }} {t}; static void (*volatile take_{t})({t});",
                width / size
            ));
            w.plain(&format!("static F void taken_{t}({t} v) {{ KEEP(v.m[0]); }}"));
            let mut add = |name: &str, result: &str, arguments: &str, body: &str, touches, call: &str| {
                if size > 1 && !ALSO.contains(&name) {
                    return;
                }
                let code = format!("F {result} {name}_{t}({arguments}) {{ {body} }}");
                w.function(&format!("{name}_{t}"), &code, touches, width, call);
            };
            let pointer = format!("{t} *p");
            let two = format!("{t} *p, {t} *q");
            let of = |name: &str, arguments: &str| format!("{name}_{t}({arguments})");
            let p = format!("({t} *)$p");
            let q = format!("({t} *)$q");
            let both = format!("{p}, {q}");
            add("get", &t, &pointer, "return *p;", Reads, &format!("KEEP({})", of("get", &p)));
            add(
                "give",
                "void",
                &pointer,
                &format!("take_{t}(*p);"),
                Reads,
                &format!("take_{t} = taken_{t}, {}", of("give", &p)),
            );
            add(
                "put",
                "void",
                &format!("{t} *q, {t} v"),
                "*q = v;",
                Writes,
                &format!("{{ {t} v; memset(&v, 1, sizeof v); {}; }}", of("put", &format!("{q}, v"))),
            );
            add("copy", "void", &two, "*q = *p;", Copies, &of("copy", &both));
            add("move", "void", &two, "memmove(q, p, sizeof *p);", Copies, &of("move", &both));
            add("set", "void", &format!("{t} *q"), &format!("*q = ({t}){{{{3}}}};"), Writes, &of("set", &q));
            add("clear", "void", &format!("{t} *q"), "memset(q, 0, sizeof *q);", Writes, &of("clear", &q));
            add(
                "same",
                "int",
                &two,
                "return memcmp(p, q, sizeof *p) == 0;",
                ReadsTwo,
                &format!("KEEP({})", of("same", &both)),
            );
            add(
                "order",
                "int",
                &two,
                "return memcmp(p, q, sizeof *p);",
                ReadsTwo,
                &format!("KEEP({})", of("order", &both)),
            );
            add(
                "odd",
                "void",
                "char *p, char *q",
                &format!("*({t} *)q = *({t} *)p;"),
                Copies,
                &of("odd", "(char *)$p, (char *)$q"),
            );
        }
        if width <= 8 {
            let (t, bits) = (format!("bits_{width}"), 8 * width);
            w.plain(&format!(
                "typedef struct {{ unsigned long a : {bits}; unsigned long b : {}; }} {t};",
                if width < 8 { 64 - bits } else { 1 }
            ));
            w.function(
                &format!("see_{t}"),
                &format!("F unsigned long see_{t}({t} *p) {{ return p->a; }}"),
                Reads,
                width,
                &format!("KEEP(see_{t}(({t} *)$p))"),
            );
            w.function(
                &format!("let_{t}"),
                &format!("F void let_{t}({t} *q, unsigned long v) {{ q->a = v; }}"),
                Writes,
                width,
                &format!("let_{t}(({t} *)$q, 1)"),
            );
        }
        if width.is_power_of_two() {
            let t = format!("vector_{width}");
            w.plain(&format!("typedef unsigned char {t} __attribute__((vector_size({width}), may_alias));"));
            w.function(
                &format!("copy_{t}"),
                &format!("F void copy_{t}({t} *p, {t} *q) {{ *q = *p; }}"),
                Copies,
                width,
                &format!("copy_{t}(({t} *)$p, ({t} *)$q)"),
            );
            w.function(
                &format!("add_{t}"),
                &format!("F void add_{t}({t} *p, {t} *q) {{ *q = *p + *p; }}"),
                Copies,
                width,
                &format!("add_{t}(({t} *)$p, ({t} *)$q)"),
            );
        }
    }
    for (name, t, width) in [
        ("bool", "_Bool", 1),
        ("float", "float", 4),
        ("double", "double", 8),
        ("extended", "long double", 10),
        ("wide", "__int128", 16),
        ("float_complex", "_Complex float", 8),
        ("double_complex", "_Complex double", 16),
        ("pointer", "void *", 8),
    ] {
        if name == "bool" && w.text.contains("C++") {
            continue;
        }
        w.plain(&format!("typedef {t} t_{name};"));
        w.function(
            &format!("get_{name}"),
            &format!("F t_{name} get_{name}(t_{name} *p) {{ return *p; }}"),
            Reads,
            width,
            &format!("KEEP(get_{name}((t_{name} *)$p))"),
        );
        w.function(
            &format!("put_{name}"),
            &format!("F void put_{name}(t_{name} *q, t_{name} v) {{ *q = v; }}"),
            Writes,
            width,
            &format!("put_{name}((t_{name} *)$q, 0)"),
        );
        w.function(
            &format!("copy_{name}"),
            &format!("F void copy_{name}(t_{name} *p, t_{name} *q) {{ *q = *p; }}"),
            Copies,
            width,
            &format!("copy_{name}((t_{name} *)$p, (t_{name} *)$q)"),
        );
    }
}

/// For C compilers.
pub fn c(clang: bool) -> Source {
    let mut w = Writer::new(C_HEAD, false);
    common(&mut w, &ELEMENTS);
    for width in WIDTHS.into_iter().filter(|_| clang) {
        let t = format!("elements_{width}");
        w.plain(&format!("typedef unsigned char {t} __attribute__((ext_vector_type({width})));"));
        let bytes = if width == 3 { 3 } else { width };
        w.function(
            &format!("copy_{t}"),
            &format!("F void copy_{t}({t} *p, {t} *q) {{ *q = *p; }}"),
            Copies,
            bytes,
            &format!("copy_{t}(({t} *)$p, ({t} *)$q)"),
        );
    }
    w.end("widths.c", C_MAIN, "return 0; }")
}

/// For C++ compilers.
pub fn cxx() -> Source {
    let mut w = Writer::new(&format!("// C++\n{C_HEAD}"), false);
    common(&mut w, &ELEMENTS[..1]);
    for width in WIDTHS {
        let t = format!("array_{width}");
        w.plain(&format!("typedef std::array<unsigned char, {width}> {t};"));
        let both = format!("*({t} *)$p, *({t} *)$q");
        w.function(
            &format!("equal_{t}"),
            &format!("F bool equal_{t}({t} &p, {t} &q) {{ return p == q; }}"),
            ReadsTwo,
            width,
            &format!("KEEP(equal_{t}({both}))"),
        );
        w.function(
            &format!("less_{t}"),
            &format!("F bool less_{t}({t} &p, {t} &q) {{ return p < q; }}"),
            ReadsTwo,
            width,
            &format!("KEEP(less_{t}({both}))"),
        );
        w.function(
            &format!("copy_{t}"),
            &format!("F void copy_{t}({t} &p, {t} &q) {{ q = p; }}"),
            Copies,
            width,
            &format!("copy_{t}({both})"),
        );
        w.function(
            &format!("get_{t}"),
            &format!("F {t} get_{t}({t} &p) {{ return p; }}"),
            Reads,
            width,
            &format!("KEEP(get_{t}(*({t} *)$p))"),
        );
        w.function(
            &format!("range_{t}"),
            &format!("F void range_{t}({t} &p, {t} &q) {{ std::copy(p.begin(), p.end(), q.begin()); }}"),
            Copies,
            width,
            &format!("range_{t}({both})"),
        );
    }
    w.end("widths.cpp", C_MAIN, "return 0; }")
}

const RUST_HEAD: &str = "use std::hint::black_box;
use std::ptr::null_mut as null;
unsafe extern \"C\" { fn gabion_expect(p: *mut Room, q: *mut Room, bytes: usize); fn gabion_compare(line: i32); }
#[repr(align(64))] pub struct Room([u8; 64]);
static mut SOURCE: Room = Room([0; 64]);
static mut TARGET: Room = Room([0; 64]);
";

/// For rustc.
pub fn rust() -> Source {
    let mut w = Writer::new(RUST_HEAD, true);
    for width in WIDTHS {
        for (_, element, size) in ELEMENTS.into_iter().filter(|(.., size)| width % size == 0) {
            let t = format!("[{element}; {}]", width / size);
            let n = format!("{element}_{width}");
            let mut add = |name: &str, signature: &str, body: &str, touches, call: &str| {
                if size > 1 && !ALSO.contains(&name) {
                    return;
                }
                let code = format!(
                    "#[inline(never)] #[unsafe(no_mangle)] pub unsafe fn {name}_{n}{signature} {{ unsafe {{ {body} }} }}"
                );
                let call =
                    format!("black_box(black_box({name}_{n} as unsafe fn{})({call}))", signature_type(signature));
                w.function(&format!("{name}_{n}"), &code, touches, width, &call);
            };
            let two = format!("(p: *mut {t}, q: *mut {t})");
            add("get", &format!("(p: *mut {t}) -> {t}"), "*p", Reads, "$p.cast()");
            add(
                "give",
                &format!("(p: *mut {t}, f: fn({t}))"),
                "f(*p)",
                Reads,
                &format!("$p.cast(), |v: {t}| {{ black_box(v); }}"),
            );
            add(
                "put",
                &format!("(q: *mut {t}, v: {t})"),
                "*q = v",
                Writes,
                &format!("$q.cast(), [1; {}]", width / size),
            );
            add("copy", &two, "*q = *p", Copies, "$p.cast(), $q.cast()");
            add("move", &two, "std::ptr::copy(p, q, 1)", Copies, "$p.cast(), $q.cast()");
            add("set", &format!("(q: *mut {t})"), &format!("*q = [3; {}]", width / size), Writes, "$q.cast()");
            add("clear", &format!("(q: *mut {t})"), "q.write_bytes(0, 1)", Writes, "$q.cast()");
            add("same", &format!("{two} -> bool"), "*p == *q", ReadsTwo, "$p.cast(), $q.cast()");
            add("order", &format!("{two} -> bool"), "*p < *q", ReadsTwo, "$p.cast(), $q.cast()");
            add("zero", &format!("(p: *mut {t}) -> bool"), &format!("*p == [0; {}]", width / size), Reads, "$p.cast()");
            add(
                "part",
                &format!("(p: *mut {t}) -> bool"),
                &format!("(&(*p))[..] == *black_box(&[0; {}][..])", width / size),
                Reads,
                "$p.cast()",
            );
            add("volatile", &two, "q.write_volatile(p.read_volatile())", Copies, "$p.cast(), $q.cast()");
            add("odd", &two, "q.write_unaligned(p.read_unaligned())", Copies, "$p.cast(), $q.cast()");
            add("boxed", &format!("(p: *mut {t}) -> Box<{t}>"), "Box::new(*p)", Reads, "$p.cast()");
            add(
                "option",
                &format!("(p: *mut {t}, not: bool) -> Option<{t}>"),
                "if not { None } else { Some(*p) }",
                Reads,
                "$p.cast(), false",
            );
            add("pair", &format!("(p: *mut {t}) -> ({t}, u8)"), "(*p, 1)", Reads, "$p.cast()");
        }
    }
    for (n, t, width) in [
        ("bool", "bool", 1),
        ("char", "char", 4),
        ("f64", "f64", 8),
        ("u128", "u128", 16),
        ("usizes", "(usize, usize)", 16),
        ("mixed", "(u16, [u8; 3], u8)", 6),
        ("slice", "*const [u8]", 16),
    ] {
        let mut add = |name: &str, signature: &str, body: &str, touches, call: &str| {
            let code = format!(
                "#[inline(never)] #[unsafe(no_mangle)] pub unsafe fn {name}_{n}{signature} {{ unsafe {{ {body} }} }}"
            );
            let call = format!("black_box(black_box({name}_{n} as unsafe fn{})({call}))", signature_type(signature));
            w.function(&format!("{name}_{n}"), &code, touches, width, &call);
        };
        add("get", &format!("(p: *mut {t}) -> {t}"), "*p", Reads, "$p.cast()");
        add("copy", &format!("(p: *mut {t}, q: *mut {t})"), "*q = *p", Copies, "$p.cast(), $q.cast()");
    }
    w.end(
        "widths.rs",
        "fn main() { unsafe { let (p, q) = (black_box(&raw mut SOURCE), black_box(&raw mut TARGET));",
        "} }",
    )
}

/// The signature without the names of arguments.
fn signature_type(signature: &str) -> String {
    let named = ["p: ", "q: ", "v: ", "f: ", "not: "];
    named.iter().fold(signature.to_owned(), |text, name| text.replace(name, ""))
}
