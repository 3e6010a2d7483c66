// The twin whose exchange releases, and does not acquire.
// gabion: verdict=verified races=A-B
// gabion: would-order="the update of state by T2 at @LOAD (release) would have to be acq_rel: then the write by T1 comes before the read by T2"
// gabion: compilers=gcc,clang
#include <atomic>
#include <thread>

int got;
static int data;
static std::atomic<int> state;

static void produce() {
    data = 1; // @A
    state.store(1, std::memory_order_release); // @STORE
}

static void consume() {
    if (state.exchange(2, std::memory_order_release) == 1) // @LOAD
        got = data; // @B
}

int main() {
    std::thread producer(produce), consumer(consume);
    producer.join();
    consumer.join();
    return 0;
}
