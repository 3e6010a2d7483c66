// Lambdas that capture by reference; main is found behind the C++ library's join.
// options: --cflags -O0
// options: --cflags -O2
// options: --cflags -O0 --compiler clang++
// object: counter in main
// object: done in main
// does: lock m in main
#include <cassert>
#include <mutex>
#include <thread>

int main() {
    int counter = 0;
    bool done = false;
    std::mutex m;
    auto work = [&] {
        ++counter;
        std::lock_guard<std::mutex> guard(m);
        done = true;
    };
    std::thread a(work), b(work);
    a.join();
    b.join();
    assert(counter == 2);
}
