#!/usr/bin/env bash
# Runs every test of the project, after installing what the tests need beyond Rust: gcc, clang, make, CMake,
# gdb, Google Test, Catch2, Chromium, and the sources of Rust's standard library if they can be had.
set -euo pipefail
cd "$(dirname "$0")"

missing=()
for tool in gcc:gcc g++:g++ clang:clang make:make cmake:cmake gdb:gdb chromium:chromium; do
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
