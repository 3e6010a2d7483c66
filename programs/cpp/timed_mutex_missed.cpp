// The twin takes it for granted that the lock is had in time.
// gabion: verdict=bug kind=assertion
// gabion: args=--cflags -std=c++20
#include <cassert>
#include <chrono>
#include <mutex>
#include <thread>

static std::timed_mutex timed;
static int had;

int main() {
    std::unique_lock lock(timed);
    std::thread t([] {
        if (timed.try_lock_for(std::chrono::milliseconds(5))) {
            ++had;
            timed.unlock();
        }
    });
    lock.unlock();
    t.join();
    assert(had == 1);
}
