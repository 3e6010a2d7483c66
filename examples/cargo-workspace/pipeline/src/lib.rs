//! Work for other threads, through a channel.

use channel::Channel;

/// Does all the work that comes, until the channel is closed; the sum of the results.
pub fn stage(work: &Channel<u32>, f: impl Fn(u32) -> u32) -> u32 {
    std::iter::from_fn(|| work.receive()).map(f).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn all_work_is_done() {
        let work = Channel::new(1);
        thread::scope(|scope| {
            let sum = scope.spawn(|| stage(&work, |n| 2 * n));
            work.send(1).unwrap();
            work.send(2).unwrap();
            work.close();
            assert_eq!(sum.join().unwrap(), 6);
        });
    }
}
