// A task run by another thread; a shared future read by two.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++20
#include <cassert>
#include <future>
#include <thread>

int main() {
    std::packaged_task<int(int)> task([](int x) { return x * 2; });
    std::shared_future<int> result = task.get_future().share();
    std::thread t(std::move(task), 21);
    std::thread other([result] { assert(result.get() == 42); });
    assert(result.get() == 42);
    t.join();
    other.join();
}
