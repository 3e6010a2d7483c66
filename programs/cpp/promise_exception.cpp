// A promise is kept by an exception: who waits gets it, with what it says.
// gabion: verdict=verified races=none
// gabion: args=--races deny --cflags -std=c++20
#include <cassert>
#include <cstring>
#include <future>
#include <stdexcept>
#include <thread>

int main() {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread t([promise = std::move(promise)]() mutable {
        promise.set_exception(std::make_exception_ptr(std::runtime_error("no")));
    });
    try {
        future.get();
        assert(false);
    } catch (const std::runtime_error &error) {
        assert(!std::strcmp(error.what(), "no"));
    }
    t.join();
}
