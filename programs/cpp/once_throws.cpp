// A function that throws has not run: whoever calls next runs it again.
// gabion: verdict=complete
// gabion: args=--preempt sync
// gabion: compilers=gcc,clang
#include <cassert>
#include <pthread.h>
#include <thread>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int runs, caught;

static void initialise() {
    if (runs++ == 0)
        throw 1;
}

static void work() {
    try {
        pthread_once(&once, initialise);
    } catch (int) {
        caught++;
    }
}

int main() {
    std::thread thread(work);
    work();
    thread.join();
    work();
    assert(runs == 2 && caught == 1);
}
