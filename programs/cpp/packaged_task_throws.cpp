// A task throws: its future gives the exception to who waits.
// gabion: verdict=verified races=none
// gabion: args=--races deny --cflags -std=c++20
#include <cassert>
#include <cstring>
#include <future>
#include <stdexcept>
#include <thread>

int main() {
    std::packaged_task<int(int)> task([](int x) {
        if (x > 1)
            throw std::runtime_error("too large");
        return x + 1;
    });
    std::future<int> future = task.get_future();
    std::thread t(std::move(task), 2);
    try {
        future.get();
        assert(false);
    } catch (const std::runtime_error &error) {
        assert(!std::strcmp(error.what(), "too large"));
    }
    t.join();
}
