// The twin waits for the condition alone: nothing ends the wait.
// gabion: verdict=bug kind=deadlock
// gabion: args=--cflags -std=c++20
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

static std::mutex mutex;
static std::condition_variable_any cond;
static bool ready;

int main() {
    std::jthread waiter([](std::stop_token) {
        std::unique_lock lock(mutex);
        cond.wait(lock, [] { return ready; });
    });
    waiter.request_stop();
}
