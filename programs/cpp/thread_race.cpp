// The twin without the mutex.
// gabion: verdict=bug kind=assertion
// gabion: compilers=gcc,clang,libc++
#include <cassert>
#include <thread>

static int x;

int main() {
    std::thread t([] { x++; });
    x++;
    t.join();
    assert(x == 2);
}
