// Released once what it guards is there.
// gabion: verdict=verified
// gabion: args=--cflags -std=c++20
#include <cassert>
#include <semaphore>
#include <thread>

static int data;

int main() {
    std::counting_semaphore<4> ready(0);
    std::thread t([&] {
        data = 1;
        ready.release();
    });
    ready.acquire();
    assert(data == 1);
    t.join();
}
