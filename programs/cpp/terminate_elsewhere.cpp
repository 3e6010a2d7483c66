// The handler for std::terminate only waits; the process ends in another thread, with status 0. The exception is what happened.
// gabion: verdict=bug kind=uncaught-exception location=HERE message="std::runtime_error" compilers=gcc,clang
// gabion: args=--cflags -std=c++20
#include <atomic>
#include <exception>
#include <stdexcept>
#include <thread>

static std::atomic<int> called{0};

int main() {
    std::set_terminate([] {
        called.store(1);
        called.notify_one();
        for (;;) called.wait(1);
    });
    std::thread t([] { throw std::runtime_error("lost"); }); // HERE
    t.detach();
    called.wait(0);
    return 0;
}
