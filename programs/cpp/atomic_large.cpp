// Three words at once, exchanged by both threads: whoever comes second gets what the first has left, whole.
// gabion: verdict=verified
// gabion: args=--cflags "-std=c++20 -latomic"
// gabion: compilers=clang
#include <atomic>
#include <cassert>
#include <thread>

struct Three {
    long a, b, c;
};
static std::atomic<Three> three;
static Three got[2];

static void swap(long number) { got[number - 1] = three.exchange({number, number, number}); }

int main() {
    std::thread other(swap, 1);
    swap(2);
    other.join();
    for (const Three &one : got)
        assert(one.a == one.b && one.b == one.c);
    assert(got[0].a + got[1].a + three.load().a == 3);
}
