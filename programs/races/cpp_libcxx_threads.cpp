// Threads of libc++ begin at any time: what the library shares between them is no race of the program's.
// gabion: verdict=verified races=none
// gabion: args=--races deny --cflags -std=c++17
// gabion: compilers=libc++
#include <atomic>
#include <thread>

static std::atomic<int> word;

int main() {
    std::thread first([] { word.store(1, std::memory_order_relaxed); });
    word.load(std::memory_order_relaxed);
    std::thread second([] {});
    first.join();
    second.join();
}
