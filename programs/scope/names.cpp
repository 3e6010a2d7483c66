// gabion: verdict=complete runs=6 compilers=gcc,clang
// gabion: args=--within 'shop::Stack<int>::push' --within 'shop::pop(int)' --within '*::peek'
// C++ functions by their names, with and without parameters. 2 + 1 + 2 points, of which the first is the start, and the end.
#include <atomic>
#include <thread>

static std::atomic<int> word;

namespace shop {
template <typename T> struct Stack {
    void __attribute__((noinline)) push(T) { word++; }
};
void __attribute__((noinline)) pop(int) { word++; }
void __attribute__((noinline)) pop(long) { word++; }
namespace { void __attribute__((noinline)) peek() { word++; } }
}

int main() {
    std::thread other([] { word++; });
    shop::Stack<int> ints;
    shop::Stack<long> longs;
    ints.push(1);
    longs.push(1);
    ints.push(1);
    shop::pop(1);
    shop::pop(1L);
    shop::peek();
    shop::peek();
    other.join();
    return 0;
}
