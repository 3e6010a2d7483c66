// Not a program.
// gabion: verdict=error message=compile
fn main() {
    let value: u32 = "text";
}
