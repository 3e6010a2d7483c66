// A wait that ends when a stop is asked for.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++20
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

static std::mutex mutex;
static std::condition_variable_any cond;
static bool ready;

int main() {
    std::jthread waiter([](std::stop_token stop) {
        std::unique_lock lock(mutex);
        cond.wait(lock, stop, [] { return ready; });
    });
    waiter.request_stop();
}
