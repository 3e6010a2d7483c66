// A task whose result is there when its thread ends, or when the future is gone before that; an exception is a result too.
// gabion: verdict=verified
// gabion: compilers=gcc,clang
#include <cassert>
#include <future>
#include <stdexcept>
#include <thread>

int main() {
    std::packaged_task<int(int)> doubles([](int n) { return 2 * n; });
    std::packaged_task<int(int)> throws([](int) -> int { throw std::runtime_error("no"); });
    std::packaged_task<int(int)> forgotten([](int n) { return n; });
    auto first = doubles.get_future();
    auto second = throws.get_future();
    { auto nobody = forgotten.get_future(); }
    std::thread other([a = std::move(doubles), b = std::move(throws), c = std::move(forgotten)]() mutable {
        a.make_ready_at_thread_exit(4);
        b.make_ready_at_thread_exit(1);
        c.make_ready_at_thread_exit(2);
    });
    assert(first.get() == 8);
    bool threw = false;
    try {
        second.get();
    } catch (const std::runtime_error &) {
        threw = true;
    }
    assert(threw);
    other.join();
}
