// Whoever catches the unwinding of pthread_exit has to throw it on.
// gabion: verdict=bug kind=abort
// gabion: compilers=gcc,clang
#include <pthread.h>

static void *work(void *) {
    try {
        pthread_exit(nullptr);
    } catch (...) {
    }
    return nullptr;
}

int main() {
    pthread_t thread;
    pthread_create(&thread, nullptr, work, nullptr);
    pthread_join(thread, nullptr);
}
