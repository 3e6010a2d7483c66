// A message by std::atomic with release and acquire.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <atomic>
#include <thread>

int got;
static int data;
static std::atomic<bool> flag;

static void write() {
    data = 1;
    flag.store(true, std::memory_order_release);
}

int main() {
    std::thread other(write);
    if (flag.load(std::memory_order_acquire))
        got = data;
    other.join();
    return 0;
}
