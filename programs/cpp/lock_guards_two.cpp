// The twin takes one after the other: a deadlock.
// gabion: verdict=bug kind=deadlock
// gabion: compilers=gcc,clang
#include <mutex>
#include <thread>

static std::mutex a, b;

static void both(std::mutex &first, std::mutex &second) {
    std::lock_guard<std::mutex> one(first);
    std::lock_guard<std::mutex> two(second);
}

int main() {
    std::thread t([] { both(a, b); });
    both(b, a);
    t.join();
}
