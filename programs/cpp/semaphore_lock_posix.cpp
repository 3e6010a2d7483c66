// The twin whose semaphores are those of the C library.
// gabion: verdict=verified
// gabion: args=--cflags "-std=c++20 -D_GLIBCXX_USE_POSIX_SEMAPHORE"
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
