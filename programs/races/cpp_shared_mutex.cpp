// A writer and a reader of a std::shared_mutex.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
// gabion: args=--cflags -std=c++17
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::shared_mutex m;
static int data;
int got;

static void write() {
    std::unique_lock<std::shared_mutex> guard(m);
    data = 1;
}

int main() {
    std::thread other(write);
    {
        std::shared_lock<std::shared_mutex> guard(m);
        got = data;
    }
    other.join();
    return 0;
}
