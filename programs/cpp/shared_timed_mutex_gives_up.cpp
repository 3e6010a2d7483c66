// A reader that gave up after a while reads all the same.
// gabion: verdict=bug kind=assertion location=HERE
// gabion: compilers=gcc,clang
#include <cassert>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_timed_mutex mutex;
static int first, second;

int main() {
    std::thread t([] {
        std::unique_lock<std::shared_timed_mutex> hold(mutex);
        first++;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        second++;
    });
    {
        std::shared_lock<std::shared_timed_mutex> hold(mutex, std::chrono::milliseconds(1));
        assert(first == second); // HERE
    }
    t.join();
}
