// std::thread, std::mutex, std::lock_guard, lambdas.
// gabion: verdict=complete
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <cassert>
#include <mutex>
#include <thread>

int main() {
    std::mutex mutex;
    int x = 0;
    auto work = [&] {
        std::lock_guard<std::mutex> guard(mutex);
        x++;
    };
    std::thread t(work);
    work();
    t.join();
    assert(x == 2);
}
