// A guard that ends before the counter is touched.
// gabion: verdict=verified races=A-A
// gabion: compilers=gcc,clang
#include <mutex>
#include <thread>

static std::mutex m;
static int counter;

static void work() {
    { std::lock_guard<std::mutex> guard(m); }
    counter++; // @A
}

int main() {
    std::thread other(work);
    work();
    other.join();
    return 0;
}
