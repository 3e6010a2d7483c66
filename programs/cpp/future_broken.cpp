// The twin breaks its promise: who waits gets an exception, and nobody catches it.
// gabion: verdict=bug kind=uncaught-exception
// gabion: args=--cflags -std=c++20
#include <cassert>
#include <future>
#include <thread>

int main() {
    std::future<int> future;
    {
        std::promise<int> promise;
        future = promise.get_future();
        std::thread t([other = std::move(promise)] {});
        t.detach();
    }
    assert(future.get() == 42);
}
