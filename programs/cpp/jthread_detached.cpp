// The twin that lets its thread go: nobody waits for it.
// gabion: verdict=bug kind=assertion
// gabion: args=--cflags -std=c++20
#include <atomic>
#include <cassert>
#include <stop_token>
#include <thread>

static std::atomic<bool> saw_stop;

int main() {
    {
        std::jthread worker([] { saw_stop = true; });
        worker.detach();
    }
    assert(saw_stop);
}
