// Two threads throw and catch, three times each. What the unwinder shares between threads is its own, so they do not depend on
// each other: one run.
// gabion: verdict=verified runs=1
// gabion: args=--preempt everywhere
// gabion: compilers=gcc,clang
#include <stdexcept>
#include <thread>

static void work() {
    for (int i = 0; i < 3; i++) {
        try {
            throw std::runtime_error("expected");
        } catch (const std::exception &) {
        }
    }
}

int main() {
    std::thread first(work), second(work);
    first.join();
    second.join();
}
