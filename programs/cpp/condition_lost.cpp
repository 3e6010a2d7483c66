// The twin without a predicate.
// gabion: verdict=bug kind=deadlock
// gabion: args=--preempt sync
// gabion: compilers=gcc,libc++
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable cond;

int main() {
    std::thread t([] { cond.notify_one(); });
    {
        std::unique_lock<std::mutex> lock(mutex);
        cond.wait(lock);
    }
    t.join();
}
