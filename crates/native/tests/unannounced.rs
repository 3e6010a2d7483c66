//! Accesses that compilers do not announce become caveats; ordinary programs have none. Both compilers, all levels.

mod project;

use gabion_trace::CaveatKind;

use project::{BOTH, Compiler, Project};

const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];

/// Through pointers and by index, next to accesses that are announced.
const GAPS: &str = "struct two { int a, b; }; struct three { long a, b, c; }; struct big { long v[20]; };\n\
    struct real { float x, y, z; }; int n; struct big data; long double wide;\n\
    void use_two(struct two); void use_three(struct three); void use_big(struct big); void use_real(struct real);\n\
    struct two make_two(void); struct three make_three(void); struct big make_big(void);\n\
    void pass_two(struct two *p) { n++; use_two(*p); n++; }\n\
    void pass_three(struct three *p) { n++; use_three(*p); n++; }\n\
    void pass_big(struct big *p) { n++; use_big(*p); n++; }\n\
    void pass_real(struct real *p) { n++; use_real(*p); n++; }\n\
    void pass_element(struct three *p, int i) { p[i].a++; use_three(p[i]); }\n\
    void pass_next(struct three **p) { while (*p) { (*p)->a++; use_three(**p++); } }\n\
    long pass_global(void) { long x = data.v[0]; use_big(data); return x; }\n\
    void take_two(struct two *p) { n++; *p = make_two(); n++; }\n\
    void take_three(struct three *p) { n++; *p = make_three(); n++; }\n\
    void take_big(struct big *p) { p->v[0]++; *p = make_big(); n++; }\n\
    void copy(void *p, void *q) { n++; __builtin_memcpy(p, q, 24); n++; }\n\
    void clear(void *p) { n++; __builtin_memset(p, 0, 16); n++; }\n\
    void wide_write(long double *p, int k) { n++; *p = k; }\n\
    int wide_read(long double *p) { n++; return *p > 3; }\n\
    void wide_global(void) { wide = n; }\n\
    int announced(struct three *p, struct three *q) { *p = *q; p->a++; return p->b + (int)q->c; }\n\
    int main(void) { return 0; }\n";

const OF_BOTH: [&str; 5] = ["pass_three", "pass_big", "pass_element", "pass_next", "pass_global"];
const OF_GCC: [&str; 7] = ["pass_two", "pass_real", "take_two", "take_three", "take_big", "copy", "clear"];
const OF_CLANG: [&str; 3] = ["wide_write", "wide_read", "wide_global"];

/// Functions that are named in the caveats of a program.
fn named(project: &Project) -> Vec<String> {
    let caveats = project.caveats("program").into_iter();
    let functions = caveats.map(|(kind, place)| {
        assert_eq!(kind, CaveatKind::UninstrumentedFunction);
        // `a.c:3 in f: …`, or `f (a.c)` for one without any announcement.
        let (at, rest) = place.split_once(" in ").unwrap_or(("a.c:", &place));
        assert!(at.starts_with("a.c:"), "{place}");
        rest.split([':', ' ']).next().expect("a name").to_owned()
    });
    let mut functions: Vec<String> = functions.collect();
    functions.sort();
    functions.dedup();
    functions
}

#[test]
fn every_gap_is_a_caveat() {
    let others = "struct two { int a, b; }; struct three { long a, b, c; }; struct big { long v[20]; };\n\
        struct real { float x, y, z; };\nvoid use_two(struct two x) {} void use_three(struct three x) {}\n\
        void use_big(struct big x) {} void use_real(struct real x) {}\n\
        struct two make_two(void) { return (struct two){1}; } struct three make_three(void) { return (struct three){1}; }\n\
        struct big make_big(void) { return (struct big){{1}}; }\n";
    for compiler in BOTH {
        let project = Project::new(compiler, &[("a.c", GAPS), ("b.c", others)]);
        let own: &[&str] = if compiler == Compiler::Gcc { &OF_GCC } else { &OF_CLANG };
        let mut expected: Vec<&str> = OF_BOTH.iter().chain(own).copied().collect();
        expected.sort_unstable();
        let intel = ["-O0 -masm=intel", "-O2 -masm=intel", "-O2 -fPIC", "-O2 -fno-pie -no-pie"];
        for flags in LEVELS.into_iter().chain(intel) {
            project.cc(&format!("{flags} a.c b.c -o program"));
            assert_eq!(named(&project), expected, "{compiler:?} {flags}");
        }
    }
}

/// An announcement of the same address is for another access: before, on one way, in another run of the loop.
#[test]
fn announcements_of_other_accesses_do_not_count() {
    let source = "struct two { int a, b; }; struct three { long a, b, c; }; int n;\n\
        void use_two(struct two); void use_three(struct three); void leave(void);\n\
        void write_two(struct two *p) { p->a = 1; p->b = 2; use_two(*p); }\n\
        void write_three(struct three *p) { p->a = 1; p->b = 2; p->c = 3; use_three(*p); }\n\
        int read_two(struct two *p) { int x = p->a + p->b; leave(); use_two(*p); return x; }\n\
        long read_three(struct three *p) { long x = p->a + p->b + p->c; leave(); use_three(*p); return x; }\n\
        long read_after(struct three *p) { use_three(*p); return p->a + p->b + p->c; }\n\
        void one_way(struct three *p, int k) { if (k) n += p->a + p->b + p->c; use_three(*p); }\n\
        void loop(struct three *p, int k) { while (k--) { use_three(*p); p->a++; p->b++; p->c++; } }\n\
        long fine(struct three *p) { p->a = 1; leave(); p->b += p->a; leave(); return p->a + p->b; }\n\
        int main(void) { return 0; }\n";
    let others = "struct two { int a, b; }; struct three { long a, b, c; };\n\
        void use_two(struct two x) {} void use_three(struct three x) {} void leave(void) {}\n";
    for compiler in BOTH {
        let project = Project::new(compiler, &[("a.c", source), ("b.c", others)]);
        let mut expected = vec!["loop", "one_way", "read_after", "read_three", "write_three"];
        if compiler == Compiler::Gcc {
            expected.extend(["read_two", "write_two"]); // clang loads it as one word, announced
            expected.sort_unstable();
        }
        for flags in LEVELS {
            project.cc(&format!("{flags} a.c b.c -o program"));
            assert_eq!(named(&project), expected, "{compiler:?} {flags}");
        }
    }
}

/// gcc hands the address of a global to a function that fills it, here, in another unit or by way of a third.
#[test]
fn results_are_judged_where_they_go() {
    let header = "struct big { long v[6]; };\nstruct big make(long), pass(long);\n";
    let caller = "#include \"a.h\"\nstruct big data;\n#define FUNCTION __attribute__((noinline))\n\
        FUNCTION void shared(void) { data = make(1); }\nFUNCTION void passed(void) { data = pass(1); }\n\
        FUNCTION long local(void) { struct big b = make(2); return b.v[0]; }\n\
        int main(void) { shared(); passed(); return local() != 2; }\n";
    let make = "#include \"a.h\"\nstruct big make(long x) { struct big b = {{x}}; return b; }\n";
    let pass = "#include \"a.h\"\nstruct big pass(long x) { return make(x + 1); }\n";
    let files = [("a.h", header), ("a.c", caller), ("make.c", make), ("pass.c", pass)];
    for compiler in BOTH {
        let project = Project::new(compiler, &files);
        // clang copies results.
        let expected: &[&str] = if compiler == Compiler::Gcc { &["passed", "shared"] } else { &[] };
        for level in LEVELS {
            project.cc(&format!("{level} a.c make.c pass.c -o program"));
            assert_eq!(named(&project), expected, "{compiler:?} {level}");
            project.runs("program");
            project.cc(&format!("{level} -c a.c make.c pass.c"));
            project.cc("-r a.o make.o -o part.o -nostdlib");
            project.cc("part.o pass.o -o program");
            assert_eq!(named(&project), expected, "{compiler:?} {level} in two steps");
        }
    }
}

/// LLVM's instrumentation knows accesses of 1, 2, 4, 8 and 16 bytes; its vectoriser, which we turn off, makes others.
#[test]
fn wide_vectors_of_clang_are_caveats() {
    let source = "struct v { float x, y, z; };\nvoid scale(struct v *v, int n, float k) {\n\
        for (int i = 0; i < n; i++) { v[i].x *= k; v[i].y *= k; v[i].z *= k; } }\nint main(void) { return 0; }\n";
    for compiler in BOTH {
        let project = Project::new(compiler, &[("a.c", source)]);
        for level in LEVELS {
            project.cc(&format!("{level} a.c -o program"));
            assert_eq!(project.caveats("program"), [], "{compiler:?} {level}");
        }
    }
    let project = Project::new(Compiler::Clang, &[("a.c", source)]);
    project.cc("-O2 -fvectorize a.c -o program");
    assert_eq!(named(&project), ["scale"]);
}

/// What others know of a stack: announced, or noted with the function that touches it.
#[test]
fn variables_on_the_stack() {
    let source = "struct three { long a, b, c; }; struct wide { long a; long double b; }; struct big { long v[20]; };\n\
        void give(void *); void use(struct three); struct three make(void); struct big build(void); long n;\n\
        long member(long k) { struct three l = {k}; give(&l); l.b++; give(0); return l.c; }\n\
        long element(int k) { long l[5] = {k}; give(l); l[1]++; give(0); return l[k]; }\n\
        long scalar(long k) { give(&k); k++; give(0); return k; }\n\
        long before(long k) { struct three l = {k, 1, 2}; use(l); give(&l); return n; }\n\
        long nobody(long k) { struct three l = {k, 1, 2}; long v[4] = {n, k}; use(l); n++; return l.b + v[k]; }\n\
        void value(long k) { struct three l = {k, 1, 2}; give(&l); use(l); }\n\
        long wide(long k) { struct wide l = {k, 1}; give(&l); l.b += k; give(0); return l.b > 3; }\n\
        long built(long k) { struct big l; give(&l); l = build(); give(0); return l.v[k]; }\n\
        int main(void) { return 0; }\n";
    let others = "struct three { long a, b, c; }; struct big { long v[20]; };\nvoid *kept; void give(void *p) { kept = p; }\n\
        void use(struct three l) {}\nstruct big build(void) { return (struct big){{1}}; }\n";
    for compiler in BOTH {
        let project = Project::new(compiler, &[("a.c", source), ("b.c", others)]);
        let expected = if compiler == Compiler::Gcc { ["built", "value"] } else { ["value", "wide"] };
        for flags in LEVELS.into_iter().chain(["-Os", "-O1 -fPIC", "-O0 -masm=intel", "-O2 -masm=intel"]) {
            project.cc(&format!("-w {flags} a.c b.c -o program"));
            assert_eq!(project.caveats("program"), [], "{compiler:?} {flags}");
            let mut found = project.on_stack("program");
            found.sort();
            found.dedup();
            assert_eq!(found, expected, "{compiler:?} {flags}");
        }
    }
}

/// Neither compiler announces constants, wherever they are.
#[test]
fn constants_of_other_units() {
    let source = "extern const int table[4]; extern const struct { long a, b; } pair; extern int *const place; int n;\n\
        int constants(int k) { n++; return table[k] + (int)pair.b + *place; }\n\
        extern const int changing; int lied(void) { n++; return changing; }\nint main(void) { return constants(1) != 7; }\n";
    let others = "const int table[4] = {0, 1, 2, 3}; const struct { long a, b; } pair = {1, 2};\n\
        static int four = 4; int *const place = &four; int changing;\n";
    for compiler in BOTH {
        let project = Project::new(compiler, &[("a.c", source), ("b.c", others)]);
        for flags in LEVELS.into_iter().chain(["-O2 -fPIC", "-O1 -fno-pie -no-pie"]) {
            project.cc(&format!("{flags} a.c b.c -o program"));
            assert_eq!(named(&project), ["lied"], "{compiler:?} {flags}");
            project.runs("program");
        }
        project.cc("-c a.c b.c");
        project.cc("-r a.o -o part.o -nostdlib");
        project.cc("-s part.o b.o -o program");
        assert_eq!(named(&project), ["lied"], "{compiler:?} in steps");
    }
}

#[test]
fn ordinary_programs_have_none() {
    let files = [("a.c", include_str!("ordinary/data.c")), ("b.c", include_str!("ordinary/loops.c"))];
    for compiler in BOTH {
        let project = Project::new(compiler, &files);
        for flags in LEVELS.into_iter().chain(["-Os", "-O2 -fno-pie -no-pie", "-O1 -fstack-protector-all"]) {
            project.cc(&format!("-w {flags} a.c b.c -pthread -lm -o program"));
            assert_eq!(project.caveats("program"), [], "{compiler:?} {flags}");
        }
    }
}

#[test]
fn ordinary_templates_have_none() {
    for compiler in BOTH {
        let project = Project::new(compiler, &[("a.cc", include_str!("ordinary/templates.cc"))]);
        for level in ["-O0", "-O2"] {
            project.cxx(&format!("-w -std=c++17 {level} a.cc -pthread -o program"));
            assert_eq!(project.caveats("program"), [], "{compiler:?} {level}");
        }
    }
}
