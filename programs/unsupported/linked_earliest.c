// The same before all constructors, where nobody could refuse the call: the program is refused, whether it calls it or not.
// gabion: verdict=error message="may be called before anything could refuse the call: by functions in .preinit_array"
#include <pthread.h>
#include <sys/eventfd.h>

static int descriptor;

static void early(int count, char **words, char **environment) {
    (void)words, (void)environment;
    if (count > 1)
        descriptor = eventfd(0, 0);
}

__attribute__((section(".preinit_array"), used)) static void (*earliest)(int, char **, char **) = early;

static void *work(void *unused) { return unused; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    return descriptor < 0;
}
