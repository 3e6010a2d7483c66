// What gives memory back with the layout that it was asked for: boxes, vectors that grow and shrink, strings, counted pointers,
// blocks with an alignment, no bytes at all.
// gabion: verdict=verified compilers=rustc,rebuilt
use std::alloc::{Layout, alloc_zeroed, dealloc, realloc};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::thread;

#[repr(align(64))]
struct Wide(u8);

fn all() -> usize {
    let mut list: Vec<u8> = (0..40).collect();
    list.truncate(3);
    list.shrink_to_fit();
    let boxed: Box<[u8]> = list.into_boxed_slice();
    let text: Arc<str> = Arc::from(String::from("text"));
    let wide = Box::new(Wide(1));
    let nothing: Box<[u64; 0]> = Box::new([]);
    let names: HashMap<u8, String> = [(1, "one".to_string())].into();
    let ordered: BTreeMap<u8, u64> = (0..20).map(|n| (n, 1)).collect();
    let queue: VecDeque<u16> = (0..9).collect();
    unsafe {
        let layout = Layout::from_size_align(100, 128).unwrap();
        let block = realloc(alloc_zeroed(layout), layout, 300);
        dealloc(block, Layout::from_size_align(300, 128).unwrap());
    }
    boxed.len() + text.len() + wide.0 as usize + nothing.len() + names.len() + ordered.len() + queue.len()
}

fn main() {
    let thread = thread::spawn(all);
    let own = all();
    assert_eq!(thread.join().unwrap(), own);
}
