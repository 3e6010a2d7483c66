// A counter of two threads that is thread_local.
// gabion: verdict=verified races=none
// gabion: compilers=gcc,clang
#include <thread>

thread_local int counter;

static void work() {
    counter++;
}

int main() {
    std::thread other(work);
    work();
    other.join();
    return 0;
}
