// A semaphore as a lock, which is right; libstdc++ (of gcc 12, for one; its bug 104928) is not. `acquire` loads the counter (1),
// loses the token to the other thread, sees 0 in all its rounds, and then waits on the futex as long as the counter is 1, as it was
// first: the other thread has released meanwhile, and found nobody to wake.
// gabion: verdict=bug kind=deadlock
// gabion: args=--cflags -std=c++20
#include <cassert>
#include <semaphore>
#include <thread>

static std::counting_semaphore<1> room(1);
static int n;

static void add() {
    room.acquire();
    n++;
    room.release();
}

int main() {
    std::thread t(add);
    add();
    t.join();
    assert(n == 2);
}
