// A function that gabion does not model is called before main.
// gabion: verdict=error message="calls eventfd before main"
#include <pthread.h>
#include <sys/eventfd.h>

static int descriptor;

__attribute__((constructor)) static void early(void) { descriptor = eventfd(0, 0); }

static void *work(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return descriptor < 0;
}
