// A reader waits with a shared lock on a condition_variable_any.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++17
// gabion: compilers=gcc,clang
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex mutex;
static std::condition_variable_any ready;
static int value;

int main() {
    std::thread t([] {
        std::shared_lock<std::shared_mutex> hold(mutex);
        ready.wait(hold, [] { return value != 0; });
        assert(value == 1);
    });
    {
        std::unique_lock<std::shared_mutex> hold(mutex);
        value = 1;
    }
    ready.notify_all();
    t.join();
}
