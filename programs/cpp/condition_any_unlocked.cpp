// The twin looks before it takes the lock, and waits without looking again: the wake-up is lost.
// gabion: verdict=bug kind=deadlock
// gabion: args=--cflags -std=c++17
// gabion: compilers=gcc,clang
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex mutex;
static std::condition_variable_any ready;
static std::atomic<int> value;

int main() {
    std::thread t([] {
        if (value.load() == 0) {
            std::shared_lock<std::shared_mutex> hold(mutex);
            ready.wait(hold);
        }
    });
    value.store(1);
    ready.notify_all();
    t.join();
}
