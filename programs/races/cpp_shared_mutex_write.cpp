// A writer that shares a std::shared_mutex.
// gabion: verdict=verified races=A-B
// gabion: compilers=gcc,clang
// gabion: args=--cflags -std=c++17
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex m;
static int data;
int got;

static void write() {
    std::shared_lock<std::shared_mutex> guard(m);
    data = 1; // @A
}

int main() {
    std::thread other(write);
    {
        std::shared_lock<std::shared_mutex> guard(m);
        got = data; // @B
    }
    other.join();
    return 0;
}
