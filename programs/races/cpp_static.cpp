// A counter of two threads that is static.
// gabion: verdict=verified races=A-A
// gabion: compilers=gcc,clang
#include <thread>

static int counter;

static void work() {
    counter++; // @A
}

int main() {
    std::thread other(work);
    work();
    other.join();
    return 0;
}
