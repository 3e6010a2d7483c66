//! The compiler wrappers on real compilers: every test runs with gcc and with clang, and fails if either is missing.

mod project;

use std::fs;
use std::path::{Path, PathBuf};

use gabion_native::build::{BuildError, inspect};
use gabion_trace::CaveatKind;

use project::{BOTH, Compiler, GABION, Project};

const MAIN: &str = "#include <stdio.h>\nint f(int);\nint main(void) { printf(\"%d\\n\", f(20)); return 0; }\n";
const F: &str = "int shared;\nint f(int x) { shared += x; return shared + 1; }\n";

#[test]
fn steps_and_shapes_of_a_build() {
    for compiler in BOTH {
        let project = Project::new(compiler, &[("main.c", MAIN), ("f.c", F), ("all", "-O1 main.c 'f.c'\n-o response")]);
        project.cc("-c main.c");
        project.cc("-Wall -O2 -pipe -c f.c -o g.o -MD -MF f.d");
        project.cc("main.o g.o -o two-steps");
        project.cc("main.c f.c -o one-step");
        project.cc("main.c -x c f.c -o language");
        project.cc("@all");
        for name in ["two-steps", "one-step", "language", "response"] {
            assert_eq!(project.runs(name), "21\n", "{compiler:?} {name}");
            assert_eq!(project.caveats(name), [], "{compiler:?} {name}");
            let inspection = project.inspect(name);
            assert_eq!(inspection.needed, ["libgabion_rt.so", "libc.so.6"], "{compiler:?} {name}");
            assert!(inspection.imports.iter().any(|import| import == "__tsan_init"));
        }
        assert!(fs::read_to_string(project.path("f.d")).expect("dependencies").contains("f.c"));
        assert!(project.cc("-S -O1 f.c -o -").contains("__tsan_write4"));
        assert!(project.cc("-E f.c").contains("int shared;"));
        assert!(project.cc("-M f.c").contains("f.c"));
        assert!(!project.cc("--version").is_empty());
        // An assembly file that came from the compiler is as good as the source.
        project.cc("-S f.c");
        project.cc("main.c f.s -o from-assembly");
        assert_eq!(project.caveats("from-assembly"), []);
    }
}

#[test]
fn the_source_may_come_from_standard_input() {
    for compiler in BOTH {
        let project = Project::new(compiler, &[("main.c", MAIN), ("f.c", F)]);
        let mut command = project.command(GABION);
        command.args(["cc", "-x", "c", "-c", "-o", "f.o", "-"]);
        let input = fs::File::open(project.path("f.c")).expect("the source");
        assert!(command.stdin(input).status().expect("gabion-wrappers starts").success());
        project.cc("main.c f.o -o program");
        assert_eq!(project.caveats("program"), []);
    }
}

#[test]
fn libraries_are_built_and_examined_like_programs() {
    for compiler in BOTH {
        let project = Project::new(compiler, &[("main.c", MAIN), ("f.c", F)]);
        project.cc("-fPIC -shared f.c -o libf.so");
        project.cc("main.c -L. -lf -Wl,-rpath,$ORIGIN -o program");
        assert_eq!(project.runs("program"), "21\n");
        assert_eq!(project.inspect("program").needed, ["libgabion_rt.so", "libf.so", "libc.so.6"]);
        assert_eq!(project.caveats("libf.so"), []);
        project.tool(if compiler == Compiler::Gcc { "gcc" } else { "clang" }, "-fPIC -shared f.c -o libg.so");
        let stranger = project.inspect("libg.so");
        assert!(!stranger.built_by_gabion);
        assert_eq!(stranger.caveats[0].kind, CaveatKind::UninstrumentedLibrary);
    }
}

#[test]
fn make_and_cmake_projects_build() {
    let makefile = "program: main.o f.o\n\t$(CC) $(CFLAGS) -o $@ $^\n";
    let lists = "cmake_minimum_required(VERSION 3.10)\nproject(two C CXX)\nadd_library(f STATIC f.c)\n\
                 add_executable(program main.c)\ntarget_link_libraries(program f)\n";
    for compiler in BOTH {
        let files = [("main.c", MAIN), ("f.c", F), ("Makefile", makefile), ("CMakeLists.txt", lists)];
        let project = Project::new(compiler, &files);
        let (real, realxx) = if compiler == Compiler::Gcc { ("gcc", "g++") } else { ("clang", "clang++") };
        // As a user would have it: CC names gabion, the real compiler is first on the path by another variable's absence.
        let mut make = project.command("make");
        make.arg(format!("CC={GABION} cc")).env("CC", real);
        assert!(make.output().expect("make starts").status.success());
        assert_eq!(project.caveats("program"), []);

        let mut configure = project.command("cmake");
        configure.args(["-S", ".", "-B", "out", "-DCMAKE_BUILD_TYPE=Release"]);
        configure.arg(format!("-DCMAKE_C_COMPILER={GABION};cc")).arg(format!("-DCMAKE_CXX_COMPILER={GABION};c++"));
        configure.env("CC", real).env("CXX", realxx);
        let output = configure.output().expect("cmake starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        project.tool("cmake", "--build out");
        assert_eq!(project.runs("out/program"), "21\n");
        assert_eq!(project.caveats("out/program"), []);
    }
}

#[test]
fn gabion_in_cc_does_not_call_itself() {
    let project = Project::new(Compiler::Gcc, &[("main.c", MAIN), ("f.c", F)]);
    let mut command = project.command(GABION);
    command.args(["cc", "main.c", "f.c", "-o", "program"]).env("CC", format!("{GABION} cc"));
    assert!(command.status().expect("gabion-wrappers starts").success());
    assert_eq!(project.caveats("program"), []);
}

#[test]
fn what_was_compiled_by_others_is_a_caveat() {
    for compiler in BOTH {
        let g = "int g(int x) { return x + 1; }\n";
        let main = "int f(int); int g(int);\nint main(void) { return g(f(-2)); }\n";
        let project = Project::new(compiler, &[("main.c", main), ("f.c", F), ("g.c", g), ("unused.c", "int u;")]);
        project.cc("-c main.c f.c");
        project.tool("gcc", "-c g.c unused.c");
        project.cc("main.o f.o g.o -o object");
        assert_eq!(project.caveats("object"), [(CaveatKind::UninstrumentedObject, "g.o".to_owned())]);

        project.tool("ar", "rcs libboth.a f.o g.o unused.o");
        project.cc("main.o -L. -lboth -o archive");
        assert_eq!(project.caveats("archive"), [(CaveatKind::UninstrumentedObject, "./libboth.a(g.o)".to_owned())]);

        project.cc("-r main.o g.o -o part.o -nostdlib");
        project.cc("part.o f.o -o relocatable");
        assert_eq!(project.caveats("relocatable"), [(CaveatKind::UninstrumentedObject, "g.o".to_owned())]);

        // Joined behind our back, even stamped parts tell nothing any more.
        project.tool("ld", "-r main.o g.o -o hidden.o");
        project.cc("hidden.o f.o -o hidden");
        assert_eq!(project.caveats("hidden"), [(CaveatKind::UninstrumentedObject, "hidden.o".to_owned())]);

        project.cc("-fno-sanitize=thread -c g.c -o off.o");
        project.cc("main.o f.o off.o -o off");
        assert_eq!(project.caveats("off"), [(CaveatKind::UninstrumentedObject, "off.o".to_owned())]);

        project.tool("strip", "object -o stripped");
        assert_eq!(project.inspect("stripped").caveats.len(), 1, "strip must not hide caveats");
    }
}

#[test]
fn hand_written_assembly_is_a_caveat() {
    for compiler in BOTH {
        let assembly = "\t.globl f\nf:\tmovl $21, %eax\n\tret\n\t.section .note.GNU-stack,\"\",@progbits\n";
        let project = Project::new(compiler, &[("main.c", MAIN), ("f.S", assembly)]);
        project.cc("-c f.S");
        project.cc("main.c f.o -o program");
        assert_eq!(project.runs("program"), "21\n");
        assert_eq!(project.caveats("program"), [(CaveatKind::UninstrumentedObject, "f.o".to_owned())]);
    }
}

#[test]
fn inline_assembly_is_judged_by_what_it_touches() {
    let source = "static int x;\nint main(void) {\n  int a = 1, b;\n\
                  \x20 __asm__ volatile(\"\" ::: \"memory\");\n\
                  \x20 __asm__ volatile(\"pause; mfence\");\n\
                  \x20 __asm__ volatile(\"mov %1, %0\" : \"=r\"(b) : \"r\"(a));\n\
                  #ifdef TOUCH\n\
                  \x20 __asm__ volatile(\"lock; btsl %1, %0\" : \"+m\"(x) : \"r\"(a));\n\
                  #endif\n\
                  #ifdef ANNOUNCED\n\
                  \x20 __asm__ volatile(\"lock; incl %0\" : \"+m\"(x));\n\
                  #endif\n\
                  \x20 return x - x;\n}\n";
    for compiler in BOTH {
        let project = Project::new(compiler, &[("a.c", source)]);
        for level in ["-O0", "-O2"] {
            project.cc(&format!("{level} a.c -o barrier"));
            assert_eq!(project.caveats("barrier"), [], "{compiler:?} {level}");
            project.cc(&format!("{level} -DTOUCH a.c -o touching"));
            assert_eq!(project.caveats("touching"), [(CaveatKind::InlineAssembly, "a.c:8".to_owned())]);
            project.cc(&format!("{level} -DANNOUNCED a.c -o announced"));
            assert_eq!(project.caveats("announced"), []);
        }
    }
}

#[test]
fn functions_without_instrumentation_are_found() {
    let source = "int x[4];\n__attribute__((no_sanitize(\"thread\"), noinline)) int hidden(int *p) { return p[2]++; }\n\
                  __attribute__((no_sanitize(\"thread\"), noinline)) int global(void) { return x[1]; }\n\
                  __attribute__((no_sanitize(\"thread\"), noinline)) int pure(int a) { int b[4] = {a}; return b[a & 3]; }\n\
                  int main(void) { return hidden(x) + global() + pure(1); }\n";
    for compiler in BOTH {
        let project = Project::new(compiler, &[("a.c", source)]);
        for level in ["-O0", "-O2"] {
            project.cc(&format!("{level} a.c -o program"));
            let places: Vec<_> = project.caveats("program").into_iter().map(|(_, place)| place).collect();
            assert_eq!(places, ["global (a.c:3)", "hidden (a.c:2)"], "{compiler:?} {level}");
        }
    }
}

/// The hooks that a function calls, in order, without their prefix; `+` marks those joined to the one before.
fn hooks(assembly: &str, function: &str) -> Vec<String> {
    let start = assembly.find(&format!("<{function}>:")).unwrap_or_else(|| panic!("no {function}"));
    let body = assembly[start..].split("\n\n").next().expect("a body");
    let symbols = body.lines().filter_map(|line| line.split_once("R_X86_64_").map(|(_, rest)| rest));
    let names = symbols.filter_map(|rest| rest.split_whitespace().nth(1)).map(|name| name.split('-').next().unwrap());
    names
        .filter_map(|name| match name.strip_prefix("__gabion_joined_") {
            Some(joined) => Some(format!("+{joined}")),
            None => name.strip_prefix("__tsan_").filter(|n| !n.starts_with("func_")).map(str::to_owned),
        })
        .collect()
}

const SHAPES: &str = "struct s4 { int a; }; struct s8 { int a, b; }; struct s16 { long a, b; };\n\
    struct s24 { long a, b, c; }; struct s100 { int a[25]; }; struct bits { unsigned a : 3, b : 5, c : 24; };\n\
    #define COPY(T) void copy_##T(struct T *p, struct T *q) { *p = *q; }\n\
    COPY(s4) COPY(s8) COPY(s16) COPY(s24) COPY(s100)\n\
    void scalar(int *p, int *q) { *p = *q; }\nvoid increment(int *p) { (*p)++; }\n\
    void bits(struct bits *p) { p->b = 7; }\n\
    void many(int *p, int *q, long *r) { *p = 1; *q = 2; *r += *p; }\n\
    void escape(int *);\nint global;\n\
    void local(void) { int l; escape(&l); l = 3; global = l; escape(&l); }\n\
    void element(struct s24 *p, int i, int j) { struct s24 t; escape((int *)&t); p[i] = p[j]; p[j] = t; }\n\
    void clear(struct s24 *p) { *p = (struct s24){0}; }\n";

#[test]
fn announcements_of_one_statement_are_joined() {
    let project = Project::new(Compiler::Gcc, &[("a.c", SHAPES)]);
    for flags in ["-O0", "-O1", "-O2", "-O3", "-Os", "-O0 -masm=intel", "-O2 -masm=intel", "-O0 -fno-plt", "-O2 -fPIC"]
    {
        project.cc(&format!("{flags} -c a.c"));
        let assembly = project.tool("objdump", "-dr --no-show-raw-insn a.o");
        let check =
            |function: &str, expected: &[&str]| assert_eq!(hooks(&assembly, function), expected, "{flags} {function}");
        check("copy_s4", &["write4", "+read4"]);
        check("copy_s8", &["write_range", "+read_range"]);
        check("copy_s16", &["write16", "+read16"]);
        check("copy_s24", &["write_range", "+read_range"]);
        check("copy_s100", &["write_range", "+read_range"]);
        check("scalar", &["read4", "write4"]);
        check("increment", &["read4", "write4"]);
        check("bits", &["write4"]);
        check("clear", &["write_range"]);
        check("element", &["write_range", "+read_range", "write_range", "+read_range"]);
        let separate = |function: &str| {
            assert!(hooks(&assembly, function).iter().all(|hook| !hook.starts_with('+')), "{flags} {function}");
        };
        separate("many");
        separate("local");
    }
}

#[test]
fn clang_announces_each_access_by_itself() {
    let project = Project::new(Compiler::Clang, &[("a.c", SHAPES)]);
    for flags in ["-O0", "-O2"] {
        project.cc(&format!("{flags} -c a.c"));
        let assembly = project.tool("objdump", "-dr --no-show-raw-insn a.o");
        assert!(!assembly.contains("__gabion_joined_"), "{flags}");
        assert_eq!(hooks(&assembly, "increment"), ["read4", "write4"], "{flags}");
    }
}

#[test]
fn compilers_and_assemblers_have_nothing_to_say() {
    let source = "#include <mutex>\nstd::once_flag once;\nint main() { std::call_once(once, [] {}); }\n";
    for compiler in BOTH {
        let project = Project::new(compiler, &[("a.cpp", source)]);
        for standard in ["-std=c++17", "-std=c++20"] {
            project.cxx(&format!("{standard} -pthread a.cpp -o program"));
        }
    }
}

#[test]
fn memory_functions_stay_calls() {
    let source = "#include <string.h>\n#include <strings.h>\n#include <stdio.h>\n\
        void a(char *p) { memset(p, 0, 16); }\nvoid b(char *p, char *q) { memcpy(p, q, 24); }\n\
        int c(char *p) { return strcmp(p, \"ab\"); }\nint d(char *p, char *q) { return memcmp(p, q, 16) == 0; }\n\
        void e(char *p) { strcpy(p, \"hello there\"); }\nvoid f(char *p) { bzero(p, 24); }\n\
        void g(char *p) { sprintf(p, \"hello\"); }\nstatic int length = strlen(\"x\"); int h(void) { return length; }\n";
    for compiler in BOTH {
        let project = Project::new(compiler, &[("a.c", source)]);
        for level in ["-O0", "-O2", "-Os"] {
            project.cc(&format!("-w {level} -D_FORTIFY_SOURCE=2 -c a.c"));
            let assembly = project.tool("objdump", "-dr --no-show-raw-insn a.o");
            let calls = |function: &str, names: &[&str]| {
                let start = assembly.find(&format!("<{function}>:")).expect("the function");
                let body = assembly[start..].split("\n\n").next().expect("a body");
                let found = names.iter().any(|name| body.contains(&format!("{name}-0x")));
                assert!(found && !body.contains("_chk"), "{compiler:?} {level}: {names:?} is no call in\n{body}");
            };
            calls("a", &["memset"]);
            calls("b", &["memcpy"]);
            calls("c", &["strcmp"]);
            calls("d", &["memcmp", "bcmp"]);
            calls("e", &["strcpy", "memcpy"]);
            calls("f", &["bzero", "memset"]);
            calls("g", &["sprintf", "strcpy", "memcpy"]);
        }
    }
}

/// Stores to bit-fields of globals, through pointers and in the frame, and the flags around one.
const BITS: &str = "#include <stdio.h>\nstruct s { unsigned a : 1, b : 3, c : 12; unsigned long d : 40; } g;\n\
    __attribute__((noinline)) void set(struct s *p, int n) { p->a = 1; p->b = n; p->c = n * 3; p->d = n; }\n\
    __attribute__((noinline)) int flags(struct s *p, int n) { p->a = n > 3; if (n > 2) p->b ^= 1; return p->b; }\n\
    int main(void) { struct s l = {0}; set(&g, 5); set(&l, 6); g.c = 7; l.b = 2; g.a = 0; l.d |= 1;\n\
      int f = flags(&g, 4); printf(\"%d %d %d %d %d %d %d %d %d\\n\", f, g.a, g.b, g.c, (int)g.d, l.a, l.b, l.c, (int)l.d); }\n";

#[test]
fn updates_announced_as_writes_are_split() {
    for compiler in BOTH {
        let project = Project::new(compiler, &[("a.c", BITS)]);
        for flags in ["-O0", "-O1", "-O2", "-O2 -fno-pic -no-pie", "-O1 -fomit-frame-pointer -fstack-protector-all"] {
            project.cc(&format!("{flags} a.c -o program"));
            assert_eq!(project.runs("program"), "4 1 4 7 5 1 2 18 7\n", "{compiler:?} {flags}");
            assert_eq!(project.caveats("program"), [], "{compiler:?} {flags}");
            let split = project.inspect("program").imports.iter().any(|import| import.starts_with("__gabion_split"));
            // clang announces the load by itself.
            assert!(split || compiler == Compiler::Clang, "{flags}");
        }
    }
}

/// Comparisons and searches that gcc likes to expand, of arrays whose size it knows.
const COMPARED: [&str; 12] = [
    "strcmp(g, \"xy\") == 0",
    "strncmp(g, \"xyz\", 3) == 0",
    "memcmp(g, \"xy\", 2) == 0",
    "memcmp(g, h, 8) == 0",
    "bcmp(g, h, 4)",
    "__builtin_strcmp(g, \"xy\") == 0",
    "strlen(g) == 0",
    "strchr(g, 'y') == g",
    "strstr(g, h) == g",
    "strspn(g, \"a\")",
    "memchr(g, 'a', 2) == g",
    "strncasecmp(g, h, 1)",
];

#[test]
fn no_comparison_is_expanded_without_announcement() {
    let functions = COMPARED.iter().enumerate().map(|(n, what)| format!("int f{n}(void) {{ return {what}; }}\n"));
    let head = "#include <string.h>\n#include <strings.h>\nchar g[64], h[64];\nint main(void) { return 0; }\n";
    let source = head.to_owned() + &functions.collect::<String>();
    for compiler in BOTH {
        let project = Project::new(compiler, &[("a.c", &source)]);
        for level in ["-O0", "-O1", "-O2", "-O3", "-Os"] {
            project.cc(&format!("-w {level} a.c -o program"));
            assert_eq!(project.caveats("program"), [], "{compiler:?} {level}");
        }
    }
}

const ORDINARY: &str = "#include <map>\n#include <memory>\n#include <mutex>\n#include <string>\n#include <thread>\n\
    #include <vector>\n#include <atomic>\n#include <cstdio>\n#include <cstdarg>\n\
    struct V { double x, y, z; V operator+(const V &o) const { return {x + o.x, y + o.y, z + o.z}; } };\n\
    V make(double a) { return {a, a, a}; }\n\
    struct Base { virtual ~Base() = default; virtual V f(V) const = 0; };\n\
    struct M1 : virtual Base { int q = 1; V f(V v) const override { return v + make(q); } };\n\
    struct M2 : virtual Base { int r = 2; };\nstruct D : M1, M2 {};\n\
    static const int table[] = {1, 5, 2, 8, 3};\nint look(unsigned i) { return table[i % 5]; }\n\
    const char *name(int k) { switch (k) { case 0: return \"a\"; case 1: return \"b\"; case 2: return \"c\";\n\
      case 3: return \"d\"; case 4: return \"e\"; case 9: return \"z\"; default: return \"?\"; } }\n\
    int sum(int n) { int a[32]; for (int i = 0; i < 32; i++) a[i] = i * n; int s = 0;\n\
      for (int i = 0; i < 32; i++) s += a[(i * 7) & 31]; return s; }\n\
    thread_local int tl; int next() { return ++tl; }\nstd::atomic<int> flag; bool is_set() { return flag.load(); }\n\
    long add(int n, ...) { va_list l; va_start(l, n); long s = 0; while (n--) s += va_arg(l, long); va_end(l); return s; }\n\
    int main() { std::mutex m; int n = 0; std::thread t([&] { std::lock_guard<std::mutex> l(m); n++; });\n\
      t.join(); std::map<std::string, std::vector<int>> all; all[\"a\"].push_back(n);\n\
      std::unique_ptr<Base> b = std::make_unique<D>(); try { if (n > 3) throw 3; } catch (int) { return 1; }\n\
      std::printf(\"%g %d %s %d %d %ld %d\\n\", b->f(make(1)).x, look(3), name(2), sum(1), next(), add(2, 1L, 2L), is_set()); }\n";

#[test]
fn ordinary_programs_have_no_caveat() {
    for compiler in BOTH {
        let project = Project::new(compiler, &[("a.cc", ORDINARY)]);
        for level in ["-O0", "-O2"] {
            project.cxx(&format!("{level} a.cc -pthread -o program"));
            assert_eq!(project.caveats("program"), [], "{compiler:?} {level}");
        }
    }
}

#[test]
fn what_cannot_be_had_is_refused_in_one_line() {
    for compiler in BOTH {
        let project = Project::new(compiler, &[("main.c", MAIN), ("f.c", F), ("args", "-static main.c f.c")]);
        let check = |line: &str, words: &str| {
            let output = project.run("cc", line);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{line}: {said}");
            assert!(
                said.starts_with("gabion: ") && said.lines().count() == 1 && said.contains(words),
                "{line}: {said}"
            );
        };
        check("-static main.c f.c", "cannot be linked statically");
        check("@args", "cannot be linked statically");
        check("-fsanitize=undefined,address -c f.c", "-fsanitize=address");
        check("-m32 -c f.c", "only x86-64");
        project.cc("-static -c f.c");
        project.cc("-fsanitize=thread -flto main.c f.c -o program");
        assert_eq!(project.caveats("program"), []);
        // The compiler's own complaints and status are passed on.
        assert_eq!(project.run("cc", "-c nothing.c").status.code(), Some(1));
    }
}

#[test]
fn the_linkers_own_output_is_left_alone() {
    for compiler in BOTH {
        let project = Project::new(compiler, &[("main.c", MAIN), ("f.c", F)]);
        assert_eq!(project.cc("main.c f.c -o program"), "");
        assert!(project.cc("main.c f.c -Wl,-M -o program").contains("Linker script and memory map"));
        assert_eq!(project.caveats("program"), []);
        project.cc("main.c f.c -fuse-ld=gold -o program");
        assert_eq!(project.caveats("program"), []);
        assert_eq!(project.inspect("program").needed[0], "libgabion_rt.so");
    }
}

#[test]
fn one_source_becomes_one_executable() {
    let threads = "#include <thread>\n#include <cmath>\nint main() { int n = 0; std::thread t([&] { n = 3; });\n\
                   t.join(); return n == NEEDED ? 0 : 1; }\n";
    for compiler in BOTH {
        let project = Project::new(compiler, &[("a.cpp", threads), ("bad.c", "int main(void) { return x; }")]);
        let build = || {
            let path = PathBuf::from(project.quiet("build", project.run("build", "a.cpp -DNEEDED=3 -lm")).trim());
            let bytes = fs::read(&path).expect("the executable");
            (path, bytes)
        };
        let ((path, first), (other, second)) = (build(), build());
        assert!(first == second, "{compiler:?}: two builds differ");
        let inspection = inspect(&path).expect("an executable");
        assert!(inspection.built_by_gabion && inspection.caveats.is_empty(), "{inspection:?}");
        // Places are named as the user named the file.
        let lines = project.tool("readelf", &format!("--debug-dump=decodedline {}", path.display()));
        assert!(lines.contains("a.cpp") && !lines.contains("gabion-"), "{lines}");
        for built in [path, other] {
            fs::remove_dir_all(built.parent().expect("its own directory")).expect("removed");
        }
        let output = project.run("build", "bad.c");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2));
        assert!(said.contains("bad.c:1:") && said.ends_with("gabion: bad.c does not compile\n"), "{said}");
    }
}

#[test]
fn builds_are_reproducible() {
    for compiler in BOTH {
        let project = Project::new(compiler, &[("main.c", MAIN), ("f.c", F)]);
        project.cc("main.c f.c -o first");
        project.cc("main.c f.c -o second");
        let read = |name| fs::read(project.path(name)).expect("a program");
        assert!(read("first") == read("second"), "{compiler:?}: two builds differ");
    }
}

#[test]
fn other_files_are_told_apart() {
    let project = Project::new(Compiler::Gcc, &[("main.c", MAIN), ("f.c", F)]);
    project.tool("gcc", "main.c f.c -o plain");
    project.tool("gcc", "-static main.c f.c -o static");
    project.tool("gcc", "-static-pie main.c f.c -o static-pie");
    project.tool("gcc", "-c f.c");
    let plain = project.inspect("plain");
    assert!(!plain.built_by_gabion && plain.caveats[0].kind == CaveatKind::UninstrumentedObject);
    let error = |name: &str| inspect(&project.path(name)).expect_err(name);
    assert!(matches!(error("static"), BuildError::StaticExecutable(_)));
    assert!(matches!(error("static-pie"), BuildError::StaticExecutable(_)));
    assert!(matches!(error("f.o"), BuildError::NotElf(_)));
    assert!(matches!(error("main.c"), BuildError::NotElf(_)));
    assert!(matches!(error("nothing"), BuildError::Io { .. }));
    assert!(inspect(Path::new("/bin/sh")).is_ok());
}
