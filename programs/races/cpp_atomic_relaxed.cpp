// A message by std::atomic with release and relaxed.
// gabion: verdict=verified races=A-B
// gabion: compilers=gcc,clang
#include <atomic>
#include <thread>

int got;
static int data;
static std::atomic<bool> flag;

static void write() {
    data = 1; // @A
    flag.store(true, std::memory_order_release);
}

int main() {
    std::thread other(write);
    if (flag.load(std::memory_order_relaxed))
        got = data; // @B
    other.join();
    return 0;
}
