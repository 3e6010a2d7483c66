// std::mutex around a counter.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <mutex>
#include <thread>

static std::mutex m;
static int counter;

static void work() {
    std::lock_guard<std::mutex> guard(m);
    counter++;
}

int main() {
    std::thread other(work);
    work();
    other.join();
    return counter != 2;
}
