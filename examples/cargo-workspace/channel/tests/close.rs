use channel::{Channel, hasty};
use std::thread;

#[test]
fn a_receiver_learns_of_the_end() {
    let channel = Channel::<u32>::new(1);
    thread::scope(|scope| {
        scope.spawn(|| channel.close());
        assert_eq!(channel.receive(), None);
    });
}

#[test]
fn a_hasty_close() {
    let channel = hasty::Channel::<u32>::new(1);
    thread::scope(|scope| {
        scope.spawn(|| channel.close());
        assert_eq!(channel.receive(), None);
    });
}

#[test]
fn a_full_channel_waits() {
    let channel = Channel::new(1);
    channel.send(1).unwrap();
    thread::scope(|scope| {
        scope.spawn(|| channel.send(2).unwrap());
        assert_eq!(channel.receive(), Some(1));
    });
    assert_eq!(channel.receive(), Some(2));
}
