// gabion: verdict=complete runs=3 compilers=gcc,clang
// A scope is left by an exception too: a point within, start and end.
#include <atomic>
#include <gabion.h>
#include <thread>

static std::atomic<int> word;

static void scoped() {
    GABION_WITHIN {
        word++;
        throw 1;
    }
}

int main() {
    std::thread other([] { word++; });
    word++;
    try {
        scoped();
    } catch (int) {
        word++;
    }
    word++;
    other.join();
}
