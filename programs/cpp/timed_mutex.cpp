// A lock that is tried for a while may be had or not; recursive locks may be taken again.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++20
// gabion: compilers=gcc,libc++
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

static std::timed_mutex timed;
static std::recursive_mutex again;
static int had, calls;

static void call() {
    std::lock_guard outer(again);
    std::lock_guard inner(again);
    ++calls;
}

int main() {
    std::thread t([] {
        if (timed.try_lock_for(std::chrono::milliseconds(5))) {
            ++had;
            timed.unlock();
        }
        call();
    });
    call();
    t.join();
    assert(had == 1 && calls == 2);
}
