// The twin in which both are relaxed.
// gabion: verdict=verified races=A-B
// gabion: would-order="the update of state by T1 at @STORE (relaxed) would have to be release, and the load of state by T2 at @LOAD (relaxed) acquire: then the write by T1 comes before the read by T2"
// gabion: compilers=gcc,clang
#include <atomic>
#include <thread>

int got;
static int data;
static std::atomic<int> state;

static void produce() {
    data = 1; // @A
    state.fetch_add(1, std::memory_order_relaxed); // @STORE
}

static void consume() {
    if (state.load(std::memory_order_relaxed) == 1) // @LOAD
        got = data; // @B
}

int main() {
    std::thread producer(produce), consumer(consume);
    producer.join();
    consumer.join();
    return 0;
}
