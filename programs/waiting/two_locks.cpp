// Two threads take two locks with std::lock, in different orders: who is refused the second releases the first and begins with
// the other. Two can do so for ever, in step, so a few rounds are looked at and the line is named.
// gabion: verdict=complete
// gabion: args=--assume-waits
// gabion: compilers=gcc,clang
// gabion: caveat=assumed-wait
#include <mutex>
#include <pthread.h>

static std::mutex a, b;
static int x;

static void *work(void *arg) {
    arg ? std::lock(a, b) : std::lock(b, a);
    x++;
    a.unlock();
    b.unlock();
    return nullptr;
}

int main() {
    pthread_t t;
    pthread_create(&t, nullptr, work, &t);
    work(nullptr);
    pthread_join(t, nullptr);
    return x == 2 ? 0 : 1;
}
