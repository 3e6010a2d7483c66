// A wait with a limit in a loop. The library looks at the clock in every round, so that it waits is an assumption.
// gabion: verdict=complete caveat=assumed-wait
// gabion: args=--assume-waits
// gabion: compilers=clang
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

int main() {
    std::mutex mutex;
    std::condition_variable changed;
    bool ready = false;
    std::thread other([&] {
        std::lock_guard<std::mutex> lock(mutex);
        ready = true;
        changed.notify_one();
    });
    {
        std::unique_lock<std::mutex> lock(mutex);
        while (!changed.wait_for(lock, std::chrono::milliseconds(10), [&] { return ready; }))
            ;
    }
    other.join();
}
