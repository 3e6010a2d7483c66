//! Call stacks as they are shown: a function that calls itself from one place is told once.

use gabion_trace::Frame;

/// Frames, each with how many times it comes in a row.
pub(crate) fn in_a_row<'a>(frames: impl IntoIterator<Item = &'a Frame>) -> impl Iterator<Item = (&'a Frame, usize)> {
    let mut frames = frames.into_iter().peekable();
    std::iter::from_fn(move || {
        let frame = frames.next()?;
        let mut count = 1;
        while frames.next_if(|next| *next == frame).is_some() {
            count += 1;
        }
        Some((frame, count))
    })
}

/// How many times, if it is more than once.
pub(crate) fn times(count: usize) -> String {
    if count > 1 { format!(", {count} times in a row") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(line: u32) -> Frame {
        Frame { function: None, file: Some("a.c".into()), line: Some(line), module: String::new() }
    }

    #[test]
    fn the_same_frame_is_told_once() {
        let frames = [1, 2, 2, 2, 1].map(frame);
        let told: Vec<_> = in_a_row(&frames).map(|(frame, count)| (frame.line, count)).collect();
        assert_eq!(told, [(Some(1), 1), (Some(2), 3), (Some(1), 1)]);
        assert_eq!((times(1), times(3)), (String::new(), ", 3 times in a row".into()));
    }
}
