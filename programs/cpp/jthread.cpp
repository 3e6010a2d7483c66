// A thread that stops when it is asked to, and is joined by its destructor.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++20
#include <atomic>
#include <cassert>
#include <stop_token>
#include <thread>

static std::atomic<bool> saw_stop;

int main() {
    {
        std::jthread worker([](std::stop_token stop) {
            while (!stop.stop_requested())
                std::this_thread::yield();
            saw_stop = true;
        });
    }
    assert(saw_stop);
}
