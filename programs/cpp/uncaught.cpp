// An exception leaves a thread: std::terminate.
// gabion: verdict=bug kind=abort|uncaught-exception
// gabion: args=--preempt sync
#include <atomic>
#include <stdexcept>
#include <thread>

static std::atomic<int> x;

int main() {
    std::thread t([] {
        if (x.load() == 1)
            throw std::runtime_error("nobody catches me");
    });
    x.store(1);
    t.join();
}
