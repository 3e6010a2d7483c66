// std::condition_variable with a predicate, std::unique_lock.
// gabion: verdict=complete
// gabion: args=--preempt sync
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex;
static std::condition_variable cond;
static bool ready;

int main() {
    std::thread t([] {
        std::lock_guard<std::mutex> guard(mutex);
        ready = true;
        cond.notify_one();
    });
    {
        std::unique_lock<std::mutex> lock(mutex);
        cond.wait(lock, [] { return ready; });
        assert(ready);
    }
    t.join();
}
