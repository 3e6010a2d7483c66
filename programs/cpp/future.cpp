// A promise kept by another thread.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++20
#include <cassert>
#include <future>
#include <thread>

int main() {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread t([&] { promise.set_value(42); });
    assert(future.get() == 42);
    t.join();
}
