// The same in C++, where the loop gives way and looks at several words.
// gabion: verdict=partial
// gabion: args=--max-runs 2000
#include <thread>

static volatile bool ready;
static volatile int item[3];

int main() {
    std::thread t([] {
        item[0] = item[1] = item[2] = 1;
        ready = true;
    });
    volatile long polls = 0;
    while (!ready || !item[0] || !item[1] || !item[2]) {
        polls++;
        std::this_thread::yield();
    }
    t.join();
}
