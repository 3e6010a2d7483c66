//! How a program in C or C++ judges its end.

use crate::c::{ROUNDS, name};
use crate::declare::GET_ENVIRONMENT;
use crate::machine::Outcome;
use crate::program::{CELLS, Kind, Program, STRUCT};
use std::collections::BTreeSet;
use std::fmt::Write;

/// What the end of a program is held against.
pub fn ending(out: &mut String, program: &Program, outcomes: &BTreeSet<Outcome>) {
    let threads = program.threads.len();
    let ends: Vec<_> = outcomes
        .iter()
        .filter_map(|o| if let Outcome::End(cells, notes) = o { Some((cells, notes)) } else { None })
        .collect();
    let _ = writeln!(out, "static const long expected[][{}] = {{", CELLS + threads);
    for (cells, notes) in &ends {
        let values: Vec<String> =
            cells.iter().map(i32::to_string).chain(notes.iter().map(|n| format!("{n}u"))).collect();
        let _ = writeln!(out, "  {{{}}},", values.join(", "));
    }
    if ends.is_empty() {
        out.push_str("  {-1},\n");
    }
    out.push_str("};\n");
    let Kind::Struct(size) = program.variables[STRUCT].kind else { unreachable!("a structure") };
    let mut values: Vec<String> = (0..STRUCT).map(|cell| name(program, cell)).collect();
    let v = name(program, STRUCT);
    values.extend([format!("{v}.c[0]"), format!("{v}.c[{}]", size - 1), GET_ENVIRONMENT.to_owned()]);
    values.extend((0..threads).map(|t| format!("results[{t}]")));
    // In no frame: what an optimiser does with such an array there is not announced.
    let _ = writeln!(out, "static long now[{}];\nstatic int found(void) {{", values.len());
    for (index, value) in values.iter().enumerate() {
        let _ = writeln!(out, "  now[{index}] = (long){value};");
    }
    let _ = writeln!(
        out,
        "  for (unsigned i = 0; i < sizeof expected / sizeof *expected; i++) if (!memcmp(now, expected[i], sizeof now)) return (int)i;\n\
         \x20 for (unsigned i = 0; i < sizeof now / sizeof *now; i++) fprintf(stderr, \" %ld\", now[i]);\n  fprintf(stderr, \"\\n\");\n  return -1;\n}}"
    );
    // Functions of their own, since optimisers make one call of several.
    for k in 0..ends.len() {
        let _ = writeln!(out, "static HIDDEN void outcome{k}(void) {{ assert(!\"outcome {k}\"); }}");
    }
    let _ = writeln!(
        out,
        "#ifdef NATIVE\nint main(void) {{\n  static char seen[{}]; static char stack[8][64] __attribute__((aligned(64)));\n  for (int i = 0; i < {ROUNDS}; i++) {{\n    set_up(stack); t0(0);\n\
         \x20   int k = found();\n    if (k < 0) {{ printf(\"unknown\\n\"); return 0; }}\n    seen[k] = 1;\n  }}\n\
         \x20 for (unsigned i = 0; i < sizeof seen; i++) if (seen[i]) printf(\"%u\\n\", i);\n}}\n#else",
        ends.len().max(1)
    );
    out.push_str("int main(int argc, char **argv) {\n  char stack[8][64] __attribute__((aligned(64)));\n  set_up(stack);\n  t0(0);\n  int k = found();\n  int all = argc > 1 && !strcmp(argv[1], \"all\");\n  int chosen = argc > 1 && !all && strcmp(argv[1], \"none\") ? atoi(argv[1]) : -1;\n  (void)chosen; (void)all;\n  switch (k) {\n  case -1: assert(!\"unknown\"); break;\n");
    for k in 0..ends.len() {
        let _ = writeln!(out, "  case {k}: if (all || chosen == {k}) outcome{k}(); break;");
    }
    out.push_str("  }\n  return 0;\n}\n#endif\n");
}
