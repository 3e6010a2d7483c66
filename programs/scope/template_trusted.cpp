// gabion: verdict=complete runs=1 compilers=gcc,clang
// gabion: args=--trust app::queue::add
// Every instance of a template is meant by its plain name.
#include <pthread.h>

namespace app {
struct queue {
    int size = 0;
    template <typename T> void __attribute__((noinline)) add(T) { size++; }
};
} // namespace app

static app::queue queue;

static void *work(void *arg) {
    queue.add(1);
    return arg;
}

int main() {
    pthread_t t;
    pthread_create(&t, nullptr, work, nullptr);
    queue.add(2L);
    pthread_join(t, nullptr);
    return 0;
}
