// A message by a release store and an acquire exchange.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang,libc++
#include <atomic>
#include <thread>

int got;
static int data;
static std::atomic<int> state;

static void produce() {
    data = 1;
    state.store(1, std::memory_order_release);
}

static void consume() {
    if (state.exchange(2, std::memory_order_acquire) == 1)
        got = data;
}

int main() {
    std::thread producer(produce), consumer(consume);
    producer.join();
    consumer.join();
    return 0;
}
